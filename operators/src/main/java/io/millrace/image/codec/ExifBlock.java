package io.millrace.image.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;

/**
 * A reader of the orientation in an EXIF block, which is a small TIFF file after any number of names {@code Exif}. The last
 * entry with the tag counts, of the entries before the first that is damaged. Its first value is a whole number, a fraction or a
 * float.
 */
final class ExifBlock {
    private static final int TAG = 0x112;
    private static final int ENTRY_BYTES = 12;
    private static final int INLINE_BYTES = 4;
    private static final int HEADER_BYTES = 8;
    private static final byte[] NAME = {'E', 'x', 'i', 'f', 0, 0};

    /** The bytes of a value by the number of its type; 0 for numbers that are no type. */
    private static final int[] TYPE_BYTES = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};

    private ExifBlock() {}

    /** Returns the orientation as stored, or 0 when the block has one that is no number or is damaged; empty if it has none. */
    static OptionalInt orientation(byte[] exif) {
        int start = 0;
        while (startsWithName(exif, start)) {
            start += NAME.length;
        }
        if (start == exif.length) {
            return OptionalInt.empty();
        }
        if (exif.length - start < HEADER_BYTES) {
            return OptionalInt.of(0);
        }
        ByteBuffer block = ByteBuffer.wrap(exif, start, exif.length - start).slice();
        boolean little = block.get(0) == 'I' && block.get(1) == 'I';
        boolean big = block.get(0) == 'M' && block.get(1) == 'M';
        int version = block.getShort(2) & 0xffff;
        // Pillow accepts 42 in either byte order, and 43 with MM although this marks another layout.
        if ((!little && !big) || (version != 0x2a && version != 0x2a00 && !(big && version == 0x2b))) {
            return OptionalInt.of(0);
        }
        block.order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        return inDirectory(block, block.getInt(4) & 0xffffffffL);
    }

    private static boolean startsWithName(byte[] exif, int at) {
        for (int i = 0; i < NAME.length; i++) {
            if (at + i >= exif.length || exif[at + i] != NAME[i]) {
                return false;
            }
        }
        return true;
    }

    private static OptionalInt inDirectory(ByteBuffer block, long directory) {
        OptionalInt found = OptionalInt.empty();
        if (directory + 2 > block.limit()) {
            return found;
        }
        int entries = block.getShort((int) directory) & 0xffff;
        for (int i = 0; i < entries; i++) {
            long entry = directory + 2 + (long) i * ENTRY_BYTES;
            if (entry + ENTRY_BYTES > block.limit()) {
                return found;
            }
            int at = (int) entry;
            int type = block.getShort(at + 2) & 0xffff;
            long bytes = (block.getInt(at + 4) & 0xffffffffL) * (type < TYPE_BYTES.length ? TYPE_BYTES[type] : 0);
            long value = bytes <= INLINE_BYTES ? at + 8 : block.getInt(at + 8) & 0xffffffffL;
            if (value + bytes > block.limit()) {
                return found;
            }
            if (bytes > 0 && (block.getShort(at) & 0xffff) == TAG) {
                found = OptionalInt.of(value(block, type, (int) value));
            }
        }
        return found;
    }

    /** Returns a value as a whole number of 1 to 8, or 0 when it is another one or no number. */
    private static int value(ByteBuffer block, int type, int at) {
        double value =
                switch (type) {
                    case 3 -> block.getShort(at) & 0xffff;
                    case 4, 13 -> block.getInt(at) & 0xffffffffL;
                    case 5 -> (block.getInt(at) & 0xffffffffL) / (double) (block.getInt(at + 4) & 0xffffffffL);
                    case 6 -> block.get(at);
                    case 8 -> block.getShort(at);
                    case 9 -> block.getInt(at);
                    case 10 -> block.getInt(at) / (double) block.getInt(at + 4);
                    case 11 -> block.getFloat(at);
                    case 12 -> block.getDouble(at);
                    case 16 -> block.getLong(at);
                    default -> 0; // bytes and text
                };
        return value >= 1 && value <= 8 && value == Math.rint(value) ? (int) value : 0;
    }
}
