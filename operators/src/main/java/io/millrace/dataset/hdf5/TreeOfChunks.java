package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Optional;

/**
 * The index of chunks that all versions of the library read: a B-tree of version 1 (HDF5 File Format Specification,
 * III.A.1).
 */
final class TreeOfChunks implements ChunkIndex {
    private static final int CHUNKS = 1;
    private static final int NODE_BYTES = 8;

    private final Hdf5Bytes bytes;
    private final long root;
    private final int[] chunk;

    /**
     * Creates the index.
     *
     * @param chunk the extents of a chunk
     */
    TreeOfChunks(Hdf5Bytes bytes, long root, int[] chunk) {
        this.bytes = bytes;
        this.root = root;
        this.chunk = chunk;
    }

    @Override
    public Optional<StoredChunk> find(long[] place) throws IOException {
        int keyBytes = 2 * Integer.BYTES + (chunk.length + 1) * Long.BYTES;
        long address = root;
        int expectedLevel = -1;
        while (address != -1) {
            Cursor node = bytes.block(address, NODE_BYTES + 2L * bytes.offsetBytes());
            node.expect("TREE");
            int type = node.uint8();
            int level = node.uint8();
            if (type != CHUNKS || (expectedLevel >= 0 && level != expectedLevel)) {
                throw node.malformed("expected level " + expectedLevel + " of an index of chunks, found type " + type
                        + ", level " + level);
            }
            int entries = node.uint16();
            int entryBytes = keyBytes + bytes.offsetBytes();
            Cursor keys = bytes.block(address + NODE_BYTES + 2L * bytes.offsetBytes(), (long) entries * entryBytes);
            int entry = lastNotAfter(keys, entries, entryBytes, place);
            if (entry < 0) {
                return Optional.empty();
            }
            keys.skip(entry * entryBytes);
            Cursor key = keys.part(keyBytes);
            address = keys.address();
            if (level == 0) {
                long stored = key.copy().uint32();
                Cursor rest = key.copy();
                rest.skip(Integer.BYTES);
                int mask = (int) rest.uint32();
                return compare(key, place) == 0 ? ChunkIndex.at(address, stored, mask) : Optional.empty();
            }
            expectedLevel = level - 1;
        }
        return Optional.empty();
    }

    private int lastNotAfter(Cursor keys, int entries, int entryBytes, long[] place) throws IOException {
        int low = 0;
        int high = entries;
        while (low < high) {
            int middle = (low + high) >>> 1;
            Cursor key = keys.copy();
            key.skip(middle * entryBytes);
            if (compare(key, place) < 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low - 1;
    }

    /** Compares the place with that of a key. The key holds offsets in elements. */
    private int compare(Cursor key, long[] place) throws IOException {
        Cursor offsets = key.copy();
        offsets.skip(2 * Integer.BYTES);
        for (int i = 0; i < chunk.length; i++) {
            int compared = Long.compareUnsigned(place[i] * chunk[i], offsets.unsigned(Long.BYTES));
            if (compared != 0) {
                return compared;
            }
        }
        return 0;
    }
}
