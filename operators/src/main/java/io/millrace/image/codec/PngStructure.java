package io.millrace.image.codec;

import java.util.zip.CRC32;

/**
 * A check of a PNG's chunks. Critical chunks must have the right checksums, and IEND must be at the end. The compressed pixels
 * must not be much longer than the decompressed pixels, because libpng decompresses all data even if the image needs less.
 */
public final class PngStructure {
    private static final int SPARE_BYTES = 1 << 16;
    /** The additional bytes of a row, for filter types and for the short rows of interlaced images. */
    private static final int SPARE_ROW_BYTES = 16;

    private PngStructure() {}

    /**
     * Checks a PNG with the given header.
     *
     * @throws MalformedImageException when the PNG is damaged
     */
    public static void check(byte[] encoded, ImageHeader header) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "PNG");
        long rowBytes = ((long) header.width() * header.channels() * header.bitDepth() + 7) / 8 + SPARE_ROW_BYTES;
        long mostPixelBytes = header.height() * rowBytes * 9 / 8 + SPARE_BYTES;
        long pixelBytes = 0;
        long at = 8;
        while (true) {
            long length = bytes.u32Big(at, "a chunk");
            String type = bytes.text(at + 4, 4, "a chunk");
            bytes.require(at + 8, length + 4, "the chunk '" + type + "'");
            if (Character.isUpperCase(type.charAt(0))) {
                CRC32 crc = new CRC32();
                crc.update(encoded, (int) at + 4, (int) length + 4);
                long stated = bytes.u32Big(at + 8 + length, "a checksum");
                if (crc.getValue() != stated) {
                    throw new MalformedImageException(
                            at,
                            String.format(
                                    "corrupt PNG: expected checksum %08x of the chunk '%s', found %08x",
                                    stated, type, crc.getValue()));
                }
            }
            pixelBytes += type.equals("IDAT") ? length : 0;
            if (pixelBytes > mostPixelBytes) {
                throw new MalformedImageException(
                        at,
                        "corrupt PNG: expected at most " + mostPixelBytes + " bytes of compressed pixels for "
                                + header.width() + "x" + header.height() + ", found more");
            }
            if (type.equals("IEND")) {
                return;
            }
            at += 12 + length;
        }
    }
}
