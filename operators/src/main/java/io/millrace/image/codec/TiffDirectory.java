package io.millrace.image.codec;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The first directory of a TIFF file (TIFF 6.0). The values of its tags are read on demand. */
final class TiffDirectory {
    static final int WIDTH = 256;
    static final int HEIGHT = 257;
    static final int BITS = 258;
    static final int COMPRESSION = 259;
    static final int PHOTOMETRIC = 262;
    static final int FILL_ORDER = 266;
    static final int STRIP_OFFSETS = 273;
    static final int ORIENTATION = 274;
    static final int SAMPLES = 277;
    static final int STRIP_BYTES = 279;
    static final int PLANES = 284;
    static final int PREDICTOR = 317;
    static final int TILE_WIDTH = 322;
    static final int TILE_HEIGHT = 323;
    static final int TILE_OFFSETS = 324;
    static final int TILE_BYTES = 325;
    static final int EXTRA_SAMPLES = 338;
    static final int SAMPLE_FORMAT = 339;

    private static final String PART = "its first directory";
    private static final int ENTRY_BYTES = 12;
    /** The size of a value in bytes, by the number of its type. */
    private static final int[] TYPE_BYTES = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};

    private static final int BYTE = 1;
    private static final int SHORT = 3;

    private final HeaderBytes bytes;
    private final boolean little;
    private final Map<Integer, Tag> tags = new HashMap<>();

    private record Tag(int type, long count, long at) {}

    TiffDirectory(HeaderBytes bytes) throws MalformedImageException {
        this.bytes = bytes;
        this.little = bytes.text(0, 1, "byte order").equals("I");
        long directory = u32(4);
        int entries = u16(directory);
        bytes.require(directory + 2, (long) entries * ENTRY_BYTES, PART);
        for (int i = 0; i < entries; i++) {
            long entry = directory + 2 + (long) ENTRY_BYTES * i;
            int type = u16(entry + 2);
            long count = u32(entry + 4);
            if (type > 0 && type < TYPE_BYTES.length && count > 0) {
                long at = TYPE_BYTES[type] * count > 4 ? u32(entry + 8) : entry + 8;
                tags.put(u16(entry), new Tag(type, count, at));
            }
        }
    }

    boolean has(int tag) {
        return tags.containsKey(tag);
    }

    /** Returns the number of values of a tag; 0 when the tag is absent. */
    long count(int tag) {
        Tag found = tags.get(tag);
        return found == null ? 0 : found.count;
    }

    /** Returns the first value of a tag, or {@code absent} when the tag is absent. */
    long first(int tag, long absent) throws MalformedImageException {
        return has(tag) ? value(tag, 0) : absent;
    }

    /**
     * Returns a value of a tag: a byte, a short or a long.
     *
     * @throws MalformedImageException when the tag has no such value
     */
    long value(int tag, long index) throws MalformedImageException {
        @Nullable Tag found = tags.get(tag);
        if (found == null || index >= found.count) {
            throw new MalformedImageException(
                    4, "corrupt TIFF: expected value " + index + " of tag " + tag + ", found none");
        }
        return switch (found.type) {
            case BYTE -> bytes.u8(found.at + index, PART);
            case SHORT -> u16(found.at + 2 * index);
            default -> u32(found.at + 4 * index);
        };
    }

    /** Returns a copy of the file with another value of a tag, if the tag has a single short value; otherwise an equal copy. */
    byte[] with(int tag, int value, byte[] encoded) {
        byte[] copy = encoded.clone();
        Tag found = tags.get(tag);
        if (found != null && found.type == SHORT && found.count == 1) {
            copy[(int) found.at] = (byte) (little ? value : value >> 8);
            copy[(int) found.at + 1] = (byte) (little ? value >> 8 : value);
        }
        return copy;
    }

    /** Checks that all values of all tags lie within the file, so that no reader allocates memory for more. */
    void requireWithin() throws MalformedImageException {
        for (Tag tag : tags.values()) {
            bytes.require(tag.at, TYPE_BYTES[tag.type] * tag.count, PART);
        }
    }

    private int u16(long at) throws MalformedImageException {
        return little ? bytes.u16Little(at, PART) : bytes.u16Big(at, PART);
    }

    private long u32(long at) throws MalformedImageException {
        return little ? bytes.u32Little(at, PART) : bytes.u32Big(at, PART);
    }
}
