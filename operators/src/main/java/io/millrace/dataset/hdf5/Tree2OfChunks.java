package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The index of chunks of a dataset with several extents without a limit: a B-tree of version 2. */
record Tree2OfChunks(Hdf5Bytes bytes, BTree2 tree, int rank, long chunkBytes) implements ChunkIndex {
    static Tree2OfChunks of(Hdf5Bytes bytes, long address, int rank, long chunkBytes) throws IOException {
        BTree2 tree = BTree2.of(bytes, address);
        int entryBytes = tree.recordBytes() - rank * Long.BYTES;
        boolean filtered = tree.type() == BTree2.FILTERED_CHUNKS;
        Cursor header = bytes.block(address, 0);
        ChunkIndex.requireEntryBytes(entryBytes, bytes, header);
        if (tree.type() != (filtered ? BTree2.FILTERED_CHUNKS : BTree2.CHUNKS)
                || filtered == (entryBytes == bytes.offsetBytes())) {
            throw header.malformed("expected an index of chunks, found a tree of type " + tree.type()
                    + " with records of " + tree.recordBytes() + " bytes");
        }
        return new Tree2OfChunks(bytes, tree, rank, chunkBytes);
    }

    @Override
    public Optional<StoredChunk> find(long[] place) throws IOException {
        int entryBytes = tree.recordBytes() - rank * Long.BYTES;
        List<StoredChunk> found = new ArrayList<>();
        tree.find(
                record -> {
                    record.skip(entryBytes);
                    for (long wanted : place) {
                        int compared = Long.compareUnsigned(wanted, record.unsigned(Long.BYTES));
                        if (compared != 0) {
                            return compared;
                        }
                    }
                    return 0;
                },
                record ->
                        ChunkIndex.entry(record, entryBytes, bytes, chunkBytes).ifPresent(found::add));
        return found.stream().findFirst();
    }
}
