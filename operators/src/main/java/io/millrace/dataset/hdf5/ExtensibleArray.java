package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Optional;

/**
 * The index of chunks of a dataset with one extent without a limit (HDF5 File Format Specification, VII.D). The first
 * entries are in the index block, the next ones in blocks that the index block lists, and all others in blocks that
 * super blocks list. Large blocks are divided into pages.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class ExtensibleArray implements ChunkIndex {
    private static final int CHECKSUM_BYTES = 4;

    private final Hdf5Bytes bytes;
    private final ChunkNumbers numbers;
    private final long chunkBytes;
    private final int entryBytes;
    private final int maxBits;
    private final int indexEntries;
    private final int leastEntries;
    private final int leastPointers;
    private final long pageEntries;
    private final long indexBlock;

    ExtensibleArray(Hdf5Bytes bytes, long address, ChunkNumbers numbers, long chunkBytes) throws IOException {
        this.bytes = bytes;
        this.numbers = numbers;
        this.chunkBytes = chunkBytes;
        Cursor header = bytes.checkedBlock(address, 16L + bytes.offsetBytes() + 6L * bytes.lengthBytes());
        header.expect("EAHD");
        header.version("an extensible array", 0, 0);
        header.skip(1);
        this.entryBytes = header.uint8();
        this.maxBits = header.uint8();
        this.indexEntries = header.uint8();
        this.leastEntries = header.uint8();
        this.leastPointers = header.uint8();
        int pageBits = header.uint8();
        header.skip(6 * bytes.lengthBytes());
        this.indexBlock = header.address();
        ChunkIndex.requireEntryBytes(entryBytes, bytes, header);
        if (Integer.bitCount(leastEntries) != 1
                || Integer.bitCount(leastPointers) != 1
                || leastPointers < 2
                || maxBits < log2(leastEntries)
                || maxBits > Long.SIZE - 2
                || pageBits > 30) {
            throw header.malformed("expected an extensible array, found one of at most 2^" + maxBits
                    + " entries with blocks of " + leastEntries + " and " + leastPointers + " pointers");
        }
        this.pageEntries = 1L << pageBits;
    }

    @Override
    public Optional<StoredChunk> find(long[] place) throws IOException {
        long number = numbers.of(place);
        if (indexBlock == -1) {
            return Optional.empty();
        }
        // The super blocks that the index block stands for have no block of their own.
        int ownLevels = 2 * log2(leastPointers);
        int levels = Math.max(1 + maxBits - log2(leastEntries), ownLevels);
        int blockPointers = 2 * (leastPointers - 1);
        int prefixBytes = 6 + bytes.offsetBytes();
        Cursor index = bytes.checkedBlock(
                indexBlock,
                prefixBytes
                        + (long) indexEntries * entryBytes
                        + (long) (blockPointers + levels - ownLevels) * bytes.offsetBytes()
                        + CHECKSUM_BYTES);
        index.expect("EAIB");
        index.skip(prefixBytes - 4);
        if (number < indexEntries) {
            return entry(index, number);
        }
        long rest = number - indexEntries;
        int level = log2(rest / leastEntries + 1);
        if (level >= levels) {
            throw new MalformedHdf5Exception(
                    bytes.position(indexBlock),
                    "expected an index of chunk " + number + ", found one of at most 2^" + maxBits);
        }
        // Level i has 2^(i/2) blocks, and all levels before it have (2^i - 1) * leastEntries entries.
        long blockEntries = (1L << ((level + 1) / 2)) * leastEntries;
        long inLevel = rest - ((1L << level) - 1) * leastEntries;
        long blockInLevel = inLevel / blockEntries;
        long inBlock = inLevel % blockEntries;
        index.skip(indexEntries * entryBytes);
        if (level < ownLevels) {
            long blocksBefore = 0;
            for (int i = 0; i < level; i++) {
                blocksBefore += 1L << (i / 2);
            }
            index.skip((int) (blocksBefore + blockInLevel) * bytes.offsetBytes());
            return inBlock(index.address(), blockEntries, inBlock, true);
        }
        index.skip((blockPointers + level - ownLevels) * bytes.offsetBytes());
        return inSuperBlock(index.address(), 1L << (level / 2), blockInLevel, blockEntries, inBlock);
    }

    private Optional<StoredChunk> inSuperBlock(
            long address, long blocks, long blockNumber, long blockEntries, long inBlock) throws IOException {
        if (address == -1) {
            return Optional.empty();
        }
        long pages = blockEntries > pageEntries ? blockEntries / pageEntries : 0;
        long mapBytes = (pages + Byte.SIZE - 1) / Byte.SIZE;
        int prefixBytes = 6 + bytes.offsetBytes() + offsetBytes();
        Cursor list =
                bytes.checkedBlock(address, prefixBytes + blocks * (mapBytes + bytes.offsetBytes()) + CHECKSUM_BYTES);
        list.expect("EASB");
        list.skip(prefixBytes - 4);
        boolean written = true;
        if (pages > 0) {
            Cursor map = list.copy();
            long page = inBlock / pageEntries;
            map.skip((int) (blockNumber * mapBytes + page / Byte.SIZE));
            written = (map.uint8() & (0x80 >> (page % Byte.SIZE))) != 0;
        }
        list.skip((int) (blocks * mapBytes + blockNumber * bytes.offsetBytes()));
        return inBlock(list.address(), blockEntries, inBlock, written);
    }

    private Optional<StoredChunk> inBlock(long address, long blockEntries, long inBlock, boolean written)
            throws IOException {
        if (address == -1 || !written) {
            return Optional.empty();
        }
        int prefixBytes = 6 + bytes.offsetBytes() + offsetBytes();
        if (blockEntries <= pageEntries) {
            Cursor whole = bytes.checkedBlock(address, prefixBytes + blockEntries * entryBytes + CHECKSUM_BYTES);
            whole.expect("EADB");
            whole.skip(prefixBytes - 4);
            return entry(whole, inBlock);
        }
        bytes.checkedBlock(address, prefixBytes + CHECKSUM_BYTES).expect("EADB");
        long pageBytes = pageEntries * entryBytes + CHECKSUM_BYTES;
        long page = inBlock / pageEntries;
        long at = address + prefixBytes + CHECKSUM_BYTES + page * pageBytes;
        return entry(bytes.checkedBlock(at, pageBytes), inBlock % pageEntries);
    }

    private Optional<StoredChunk> entry(Cursor list, long index) throws IOException {
        list.skip((int) index * entryBytes);
        return ChunkIndex.entry(list, entryBytes, bytes, chunkBytes);
    }

    /** Returns the size of the offset that blocks state. */
    private int offsetBytes() {
        return (maxBits + Byte.SIZE - 1) / Byte.SIZE;
    }

    private static int log2(long number) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
    }
}
