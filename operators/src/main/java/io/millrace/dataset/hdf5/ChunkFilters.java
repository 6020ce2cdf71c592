package io.millrace.dataset.hdf5;

import io.millrace.file.HeapLimit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.InflaterInputStream;

/** The inverse of the filters that were applied to chunks before they were written. */
final class ChunkFilters {
    private static final int DEFLATE = 1;
    private static final int SHUFFLE = 2;
    private static final int FLETCHER = 3;
    private static final int LZF = 32000;
    private static final int FLETCHER_BYTES = 4;

    private static final List<Integer> SUPPORTED = List.of(DEFLATE, SHUFFLE, FLETCHER, LZF);

    /** The names of filters that files usually do not name. */
    private static final Map<Integer, String> NAMES = Map.of(4, "szip", 5, "nbit", 6, "scaleoffset");

    private ChunkFilters() {}

    /** Returns the name of the first filter that is not supported, or an empty text if there is none. */
    static String unknown(List<Filter> filters) {
        for (Filter filter : filters) {
            if (!SUPPORTED.contains(filter.id())) {
                String name = NAMES.getOrDefault(filter.id(), filter.name());
                return name.isEmpty() ? "the filter " + filter.id() : name;
            }
        }
        return "";
    }

    /**
     * Reverses the filters of a chunk and returns its content.
     *
     * @param mask the filters that were left out for this chunk: bit i stands for filter i
     * @param length the size of the chunk in bytes, as the dataset states it
     * @throws IOException when the result has another length
     */
    static byte[] decode(List<Filter> filters, int mask, byte[] stored, int length) throws IOException {
        if (!filters.isEmpty()) {
            HeapLimit.require("a chunk", length);
        }
        byte[] bytes = stored;
        for (int i = filters.size() - 1; i >= 0; i--) {
            if (i < Integer.SIZE && (mask >>> i & 1) != 0) {
                continue;
            }
            Filter filter = filters.get(i);
            bytes = switch (filter.id()) {
                case DEFLATE -> inflate(bytes, length);
                case SHUFFLE -> unshuffle(bytes, filter.data());
                case LZF -> Lzf.decode(bytes, length + FLETCHER_BYTES);
                default -> withoutChecksum(bytes);
            };
        }
        if (bytes.length != length) {
            throw new IOException("expected " + length + " bytes, found " + bytes.length);
        }
        return bytes;
    }

    /**
     * Checks and removes Fletcher's checksum, which follows the bytes that it covers. The checksum consists of sums of
     * 16-bit words, high byte first, modulo 65535.
     */
    private static byte[] withoutChecksum(byte[] bytes) throws IOException {
        int end = bytes.length - FLETCHER_BYTES;
        if (end < 0) {
            throw new IOException("expected a checksum of 4 bytes, found " + bytes.length + " bytes");
        }
        long low = 0;
        long high = 0;
        for (int i = 0; i < end; i += 2) {
            int word = (bytes[i] & 0xFF) << 8 | (i + 1 < end ? bytes[i + 1] & 0xFF : 0);
            low = (low + word) % 65535;
            high = (high + low) % 65535;
        }
        long stored = (bytes[end] & 0xFFL)
                | (bytes[end + 1] & 0xFFL) << 8
                | (bytes[end + 2] & 0xFFL) << 16
                | (bytes[end + 3] & 0xFFL) << 24;
        // The sums 0 and 65535 are equal modulo 65535.
        if ((stored & 0xFFFF) % 65535 != low || (stored >> 16) % 65535 != high) {
            throw new IOException(String.format("expected the checksum %08x, found %08x", stored, high << 16 | low));
        }
        return Arrays.copyOf(bytes, end);
    }

    /**
     * Inflates a chunk. The result may be longer than the chunk, because a checksum may have been appended before
     * compression.
     */
    private static byte[] inflate(byte[] bytes, int length) throws IOException {
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            byte[] inflated = in.readNBytes(length + FLETCHER_BYTES);
            if (in.read() >= 0) {
                throw new IOException("expected " + length + " bytes of gzip data, found more");
            }
            return inflated;
        }
    }

    private static byte[] unshuffle(byte[] bytes, List<Integer> data) throws IOException {
        int width = data.isEmpty() ? 0 : data.get(0);
        if (width < 1) {
            throw new IOException("expected the width of shuffled elements, found " + width);
        }
        if (width > bytes.length) {
            return bytes; // without a whole element, as in the HDF5 library; a damaged width could be 2^31
        }
        int elements = bytes.length / width;
        byte[] target = bytes.clone();
        for (int i = 0; i < width; i++) {
            for (int j = 0; j < elements; j++) {
                target[j * width + i] = bytes[i * elements + j];
            }
        }
        return target;
    }
}
