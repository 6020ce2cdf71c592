package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Optional;

/**
 * The index of chunks of a dataset whose extents all have a limit (HDF5 File Format Specification, VII.C). Its entries
 * are in one block. A large block is divided into pages.
 */
final class FixedArray implements ChunkIndex {
    private static final int CHECKSUM_BYTES = 4;

    private final Hdf5Bytes bytes;
    private final ChunkNumbers numbers;
    private final long chunkBytes;
    private final int entryBytes;
    private final long entries;
    private final long pageEntries;
    private final long block;

    FixedArray(Hdf5Bytes bytes, long address, ChunkNumbers numbers, long chunkBytes) throws IOException {
        this.bytes = bytes;
        this.numbers = numbers;
        this.chunkBytes = chunkBytes;
        Cursor header = bytes.checkedBlock(address, 12L + bytes.offsetBytes() + bytes.lengthBytes());
        header.expect("FAHD");
        header.version("a fixed array", 0, 0);
        header.skip(1);
        this.entryBytes = header.uint8();
        int pageBits = header.uint8();
        this.entries = header.length();
        this.block = header.address();
        ChunkIndex.requireEntryBytes(entryBytes, bytes, header);
        if (pageBits > 30) {
            throw header.malformed("expected pages of at most 2^30 entries, found 2^" + pageBits);
        }
        this.pageEntries = 1L << pageBits;
    }

    @Override
    public Optional<StoredChunk> find(long[] place) throws IOException {
        long number = numbers.of(place);
        if (block == -1) {
            return Optional.empty();
        }
        if (number >= entries) {
            throw new MalformedHdf5Exception(
                    bytes.position(block), "expected an index of chunk " + number + ", found one of " + entries);
        }
        int prefixBytes = 6 + bytes.offsetBytes();
        if (entries <= pageEntries) {
            Cursor whole = bytes.checkedBlock(block, prefixBytes + entries * entryBytes + CHECKSUM_BYTES);
            whole.expect("FADB");
            whole.skip(prefixBytes - 4);
            return entry(whole, number);
        }
        long pages = (entries + pageEntries - 1) / pageEntries;
        long mapBytes = (pages + Byte.SIZE - 1) / Byte.SIZE;
        Cursor prefix = bytes.checkedBlock(block, prefixBytes + mapBytes + CHECKSUM_BYTES);
        prefix.expect("FADB");
        prefix.skip(prefixBytes - 4);
        long page = number / pageEntries;
        prefix.skip((int) (page / Byte.SIZE));
        if ((prefix.uint8() & (0x80 >> (page % Byte.SIZE))) == 0) {
            return Optional.empty();
        }
        long first = page * pageEntries;
        long inPage = Math.min(pageEntries, entries - first);
        long at = block + prefixBytes + mapBytes + CHECKSUM_BYTES + page * (pageEntries * entryBytes + CHECKSUM_BYTES);
        return entry(bytes.checkedBlock(at, inPage * entryBytes + CHECKSUM_BYTES), number - first);
    }

    private Optional<StoredChunk> entry(Cursor list, long index) throws IOException {
        list.skip((int) index * entryBytes);
        return ChunkIndex.entry(list, entryBytes, bytes, chunkBytes);
    }
}
