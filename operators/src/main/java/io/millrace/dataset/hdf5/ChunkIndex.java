package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Optional;

/** An index that finds the chunks of a dataset in the file. Safe for several threads. */
interface ChunkIndex {
    /**
     * A chunk in the file.
     *
     * @param bytes the number of stored bytes
     * @param mask the filters that were left out for this chunk: bit i stands for filter i
     */
    record StoredChunk(long address, long bytes, int mask) {}

    /**
     * Finds a chunk.
     *
     * @param place the chunk's number along each extent
     * @return empty when the chunk was never written
     */
    Optional<StoredChunk> find(long[] place) throws IOException;

    /** Returns the chunk at an address, which may be the undefined address. */
    static Optional<StoredChunk> at(long address, long bytes, int mask) {
        return address == -1 ? Optional.empty() : Optional.of(new StoredChunk(address, bytes, mask));
    }

    /**
     * Reads an entry of an index: an address and, when the chunks are filtered, the number of stored bytes and the
     * filters that were left out.
     *
     * @param entryBytes the size of the entry
     * @param chunkBytes the size of a chunk that is not filtered
     */
    static Optional<StoredChunk> entry(Cursor entry, int entryBytes, Hdf5Bytes bytes, long chunkBytes)
            throws MalformedHdf5Exception {
        long address = entry.address();
        if (entryBytes == bytes.offsetBytes()) {
            return at(address, chunkBytes, 0);
        }
        long stored = entry.unsigned(entryBytes - bytes.offsetBytes() - Integer.BYTES);
        return at(address, stored, (int) entry.uint32());
    }

    /** Throws an exception unless entries have one of the two possible forms. */
    static void requireEntryBytes(int entryBytes, Hdf5Bytes bytes, Cursor at) throws MalformedHdf5Exception {
        int sizeBytes = entryBytes - bytes.offsetBytes() - Integer.BYTES;
        if (entryBytes != bytes.offsetBytes() && (sizeBytes < 1 || sizeBytes > Long.BYTES)) {
            throw at.malformed("expected entries of an index of chunks, found entries of " + entryBytes + " bytes");
        }
    }
}
