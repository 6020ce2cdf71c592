package io.millrace.image;

import java.util.zip.CRC32;

/** Checks that a PNG's chunks are whole: critical chunks by their checksums, and IEND at the end. */
final class PngStructure {
    private PngStructure() {}

    static void check(byte[] encoded) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "PNG");
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
            if (type.equals("IEND")) {
                return;
            }
            at += 12 + length;
        }
    }
}
