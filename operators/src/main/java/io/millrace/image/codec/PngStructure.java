package io.millrace.image.codec;

import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * A check of a PNG's chunks. Critical chunks must have the right checksums, and IEND must be at the end. The compressed pixels
 * must not be much longer than the decompressed pixels, so that data without pixels costs no time. The chunks of an animation are ignored, because only the default image is decoded; but a frame before IDAT must be the
 * whole default image.
 */
public final class PngStructure {
    static final int CHUNK_OVERHEAD_BYTES = 12;

    private static final int SIGNATURE_BYTES = 8;
    private static final int SPARE_BYTES = 1 << 16;
    /** The additional bytes of a row, for filter types and for the short rows of interlaced images. */
    private static final int SPARE_ROW_BYTES = 16;

    private static final int MOST_PALETTE_BYTES = 3 * 256;
    private static final int PALETTE = 3;

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
        boolean pixels = false;
        boolean indexed = PngHeader.color(bytes) == PALETTE;
        boolean colors = false;
        long at = SIGNATURE_BYTES;
        while (true) {
            long length = bytes.u32Big(at, "a chunk");
            String type = type(bytes, at);
            bytes.require(at + 8, length + 4, "the chunk '" + type + "'");
            if (Character.isUpperCase(type.charAt(0))) {
                checkSum(encoded, bytes, at, length, type);
            }
            switch (type) {
                case "IHDR" -> require(at == SIGNATURE_BYTES, at, "one IHDR chunk, the first", "another");
                case "PLTE" -> {
                    boolean whole = length > 0 && length % 3 == 0 && length <= MOST_PALETTE_BYTES;
                    require(!indexed || whole, at, "a palette of 1 to 256 colours of 3 bytes", length + " bytes");
                    colors = true;
                }
                case "fcTL" -> {
                    if (!pixels) {
                        checkFrame(bytes, at, length, header);
                    }
                }
                case "IDAT" -> {
                    require(colors || !indexed, at, "a palette before the pixels", "none");
                    pixels = true;
                    pixelBytes += length;
                    require(
                            pixelBytes <= mostPixelBytes,
                            at,
                            "at most " + mostPixelBytes + " bytes of compressed pixels for " + header.width() + "x"
                                    + header.height(),
                            "more");
                }
                case "IEND" -> {
                    require(pixels, at, "pixels (IDAT) before the end", "none");
                    return;
                }
                default -> {}
            }
            at += CHUNK_OVERHEAD_BYTES + length;
        }
    }

    private static void checkSum(byte[] encoded, HeaderBytes bytes, long at, long length, String type)
            throws MalformedImageException {
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

    /** Requires that the frame before IDAT is the whole image: Pillow decodes another one to pixels that nobody has stored. */
    private static void checkFrame(HeaderBytes bytes, long at, long length, ImageHeader header)
            throws MalformedImageException {
        require(length == 26, at, "a chunk fcTL of 26 bytes", String.valueOf(length));
        long width = bytes.u32Big(at + 12, "the first frame");
        long height = bytes.u32Big(at + 16, "the first frame");
        long left = bytes.u32Big(at + 20, "the first frame");
        long top = bytes.u32Big(at + 24, "the first frame");
        require(
                width == header.width() && height == header.height() && left == 0 && top == 0,
                at,
                "a first frame of " + header.width() + "x" + header.height() + " at 0,0",
                width + "x" + height + " at " + left + "," + top);
    }

    private static void require(boolean right, long at, String expected, String found) throws MalformedImageException {
        if (!right) {
            throw new MalformedImageException(at, "corrupt PNG: expected " + expected + ", found " + found);
        }
    }

    /** Returns the type of the chunk at offset {@code at}, which is four letters. */
    static String type(HeaderBytes bytes, long at) throws MalformedImageException {
        String type = bytes.text(at + 4, 4, "a chunk");
        for (int i = 0; i < type.length(); i++) {
            int small = type.charAt(i) | 0x20;
            require(
                    small >= 'a' && small <= 'z',
                    at,
                    "the type of a chunk, four letters",
                    bytes.describe((int) at + 4, 4));
        }
        return type;
    }

    /** Returns the offset of the first IDAT chunk of a PNG that has been checked. */
    static long firstData(HeaderBytes bytes) throws MalformedImageException {
        long at = SIGNATURE_BYTES;
        while (!type(bytes, at).equals("IDAT")) {
            at += CHUNK_OVERHEAD_BYTES + bytes.u32Big(at, "a chunk");
        }
        return at;
    }

    /** Returns 256 colours, of which those that the palette of a checked PNG lacks are black. As in Pillow, a later palette counts. */
    static byte[] palette(HeaderBytes bytes) throws MalformedImageException {
        byte[] palette = new byte[MOST_PALETTE_BYTES];
        long end = firstData(bytes);
        for (long at = SIGNATURE_BYTES; at < end; ) {
            long length = bytes.u32Big(at, "a chunk");
            if (type(bytes, at).equals("PLTE")) {
                Arrays.fill(palette, (byte) 0);
                bytes.copy(at + 8, palette, (int) length, "the palette");
            }
            at += CHUNK_OVERHEAD_BYTES + length;
        }
        return palette;
    }
}
