package io.millrace.image.codec;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first directory of a TIFF or BigTIFF file (TIFF 6.0). The values of its tags are read on demand.
 *
 * <p>Tested by {@code ImageDecoderTest}.
 */
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
    static final int STRIP_ROWS = 278;
    static final int STRIP_BYTES = 279;
    static final int PLANES = 284;
    static final int FAX_OPTIONS = 292;
    static final int PREDICTOR = 317;
    static final int PALETTE = 320;
    static final int TILE_WIDTH = 322;
    static final int TILE_HEIGHT = 323;
    static final int TILE_OFFSETS = 324;
    static final int TILE_BYTES = 325;
    static final int EXTRA_SAMPLES = 338;
    static final int SAMPLE_FORMAT = 339;
    static final int JPEG_TABLES = 347;
    static final int XMP = 700;
    static final int LUMA_WEIGHTS = 529;
    static final int CHROMA_SAMPLING = 530;
    static final int REFERENCE_LEVELS = 532;

    private static final String PART = "its first directory";
    private static final int BIG_VERSION = 43;
    /** A limit of 64-bit numbers, so that sums and products of them do not overflow. No file is as long. */
    private static final long MOST = 1L << 48;
    /** The size of a value in bytes, by the number of its type; 0 for unknown types. */
    private static final int[] TYPE_BYTES = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

    private static final int BYTE = 1;
    private static final int SHORT = 3;
    private static final int LONG = 4;
    private static final int RATIONAL = 5;
    private static final int BYTES = 7;
    private static final int FLOAT = 11;
    private static final int DIRECTORY = 13;
    private static final int LONG8 = 16;

    private final HeaderBytes bytes;
    private final boolean little;
    private final boolean big;
    private final Map<Integer, Tag> tags = new HashMap<>();
    private final Set<Integer> repeated = new HashSet<>();

    private record Tag(int type, long count, long at) {}

    TiffDirectory(HeaderBytes bytes) throws MalformedImageException {
        this.bytes = bytes;
        this.little = bytes.text(0, 1, "byte order").equals("I");
        this.big = u16(2) == BIG_VERSION;
        int wordBytes = big ? 8 : 4;
        long directory = big ? u64(8) : u32(4);
        long entries = big ? u64(directory) : u16(directory);
        long first = directory + (big ? 8 : 2);
        int entryBytes = 4 + 2 * wordBytes;
        bytes.require(first, entries * entryBytes, PART);
        for (long entry = first; entry < first + entries * entryBytes; entry += entryBytes) {
            int type = u16(entry + 2);
            long count = big ? u64(entry + 4) : u32(entry + 4);
            if (type < TYPE_BYTES.length && TYPE_BYTES[type] > 0 && count > 0) {
                long value = entry + 4 + wordBytes;
                boolean inside = TYPE_BYTES[type] * count <= wordBytes;
                long at = inside ? value : big ? u64(value) : u32(value);
                if (tags.put(u16(entry), new Tag(type, count, at)) != null) {
                    repeated.add(u16(entry));
                }
            }
        }
    }

    /** Returns whether the least significant byte of a number comes first. */
    boolean little() {
        return little;
    }

    /** Returns whether the file is a BigTIFF, whose offsets have 8 bytes. */
    boolean big() {
        return big;
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
     * Returns a value of a tag: a whole number that is not negative.
     *
     * @throws MalformedImageException when the tag has no such value, has another type, or occurs twice
     */
    long value(int tag, long index) throws MalformedImageException {
        Tag found = tag(tag, index);
        return switch (found.type) {
            case BYTE, BYTES -> bytes.u8(found.at + index, PART);
            case SHORT -> u16(found.at + 2 * index);
            case LONG, DIRECTORY -> u32(found.at + 4 * index);
            case LONG8 -> u64(found.at + 8 * index);
            default ->
                throw new MalformedImageException(
                        4, "corrupt TIFF: expected whole numbers in tag " + tag + ", found type " + found.type);
        };
    }

    /** Returns a value of a tag that may have a fraction, or {@code absent} when the tag is absent. */
    float real(int tag, long index, float absent) throws MalformedImageException {
        if (!has(tag)) {
            return absent;
        }
        Tag found = tag(tag, index);
        return switch (found.type) {
            case RATIONAL -> {
                long divisor = u32(found.at + 8 * index + 4);
                yield divisor == 0 ? 0 : (float) ((double) u32(found.at + 8 * index) / divisor);
            }
            case FLOAT -> Float.intBitsToFloat((int) u32(found.at + 4 * index));
            default -> value(tag, index);
        };
    }

    /** Returns the bytes of a tag whose values are bytes; none when the tag is absent. */
    byte[] bytes(int tag) throws MalformedImageException {
        if (!has(tag)) {
            return new byte[0];
        }
        Tag found = tag(tag, 0);
        bytes.require(found.at, TYPE_BYTES[found.type] * found.count, PART);
        byte[] copy = new byte[Math.toIntExact(TYPE_BYTES[found.type] * found.count)];
        bytes.copy(found.at, copy, copy.length, PART);
        return copy;
    }

    private Tag tag(int tag, long index) throws MalformedImageException {
        @Nullable Tag found = tags.get(tag);
        if (found == null || index >= found.count) {
            throw new MalformedImageException(
                    4, "corrupt TIFF: expected value " + index + " of tag " + tag + ", found none");
        }
        if (repeated.contains(tag)) {
            throw new MalformedImageException(4, "corrupt TIFF: expected tag " + tag + " once, found it twice");
        }
        return found;
    }

    private int u16(long at) throws MalformedImageException {
        return little ? bytes.u16Little(at, PART) : bytes.u16Big(at, PART);
    }

    private long u32(long at) throws MalformedImageException {
        return little ? bytes.u32Little(at, PART) : bytes.u32Big(at, PART);
    }

    private long u64(long at) throws MalformedImageException {
        long high = u32(little ? at + 4 : at);
        long low = u32(little ? at : at + 4);
        return high >= MOST >> 32 ? MOST : high << 32 | low;
    }
}
