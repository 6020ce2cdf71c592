package io.millrace.dataset.hdf5;

import java.io.IOException;

/**
 * A heap of objects that is stored in blocks of growing size (HDF5 File Format Specification, III.G). Reads the objects
 * that are stored in the blocks.
 */
final class FractalHeap {
    private static final int MOST_DEPTH = 32;

    private final Hdf5Bytes bytes;
    private final int idBytes;
    private final int offsetBytes;
    private final int sizeBytes;
    private final int width;
    private final long firstBlock;
    private final long largestBlock;
    private final long root;
    private final int rootRows;

    private FractalHeap(Hdf5Bytes bytes, Cursor header) throws IOException {
        this.bytes = bytes;
        header.expect("FRHP");
        header.version("a fractal heap", 0, 0);
        this.idBytes = header.uint16();
        int filterBytes = header.uint16();
        header.skip(1);
        long largestObject = header.uint32();
        header.skip(10 * bytes.lengthBytes() + 2 * bytes.offsetBytes());
        this.width = header.uint16();
        this.firstBlock = header.length();
        this.largestBlock = header.length();
        int bits = header.uint16();
        header.skip(2);
        this.root = header.address();
        this.rootRows = header.uint16();
        if (filterBytes != 0) {
            throw new UnsupportedHdf5Exception("is in a group whose links are compressed, which is not supported");
        }
        if (width < 1
                || Long.bitCount(firstBlock) != 1
                || Long.bitCount(largestBlock) != 1
                || firstBlock > largestBlock
                || largestBlock > Integer.MAX_VALUE
                || bits < 1
                || bits > Long.SIZE) {
            throw header.malformed("expected a table of blocks, found " + width + " blocks of " + firstBlock + " to "
                    + largestBlock + " bytes in a row");
        }
        this.offsetBytes = (bits + Byte.SIZE - 1) / Byte.SIZE;
        long most = Math.min(largestBlock, largestObject);
        this.sizeBytes = (Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(most, 1))) / Byte.SIZE + 1;
    }

    static FractalHeap of(Hdf5Bytes bytes, long address) throws IOException {
        long count = 26L + 12L * bytes.lengthBytes() + 3L * bytes.offsetBytes();
        // With filters the header is longer, and its checksum lies elsewhere.
        Cursor start = bytes.block(address, count);
        start.skip(7);
        return new FractalHeap(
                bytes, start.uint16() == 0 ? bytes.checkedBlock(address, count) : bytes.block(address, count));
    }

    /** Reads the object whose ID comes next at the cursor. */
    Cursor object(Cursor id) throws IOException {
        Cursor fields = id.part(idBytes);
        int flags = fields.uint8();
        if ((flags & 0xF0) != 0) {
            throw new UnsupportedHdf5Exception("is in a group with a link of an unusual size, which is not supported");
        }
        long offset = fields.unsigned(offsetBytes);
        long count = fields.unsigned(sizeBytes);
        if (rootRows == 0) {
            return inBlock(root, 0, firstBlock, offset, count);
        }
        return inTable(root, rootRows, 0, offset, count, 0);
    }

    private Cursor inBlock(long block, long blockOffset, long blockBytes, long offset, long count) throws IOException {
        if (block == -1 || offset < blockOffset || offset - blockOffset > blockBytes - count) {
            throw new MalformedHdf5Exception(
                    bytes.position(block), "expected an object within its block, found one at " + offset);
        }
        return bytes.block(block + offset - blockOffset, count);
    }

    /** Reads an object below an indirect block, which lists the blocks of its rows. */
    private Cursor inTable(long table, int rows, long tableOffset, long offset, long count, int depth)
            throws IOException {
        long start = tableOffset;
        int directRows = log2(largestBlock) - log2(firstBlock) + 2;
        for (int row = 0; row < Math.min(rows, Long.SIZE - 2); row++) {
            long blockBytes = row == 0 ? firstBlock : firstBlock << (row - 1);
            if (blockBytes <= 0 || blockBytes > Long.MAX_VALUE / width - start) {
                break;
            }
            if (offset >= 0 && offset < start + blockBytes * width) {
                long column = (offset - start) / blockBytes;
                long entry = ((long) row * width + column) * bytes.offsetBytes();
                long child = bytes.block(table + 5 + bytes.offsetBytes() + offsetBytes + entry, bytes.offsetBytes())
                        .address();
                long childOffset = start + column * blockBytes;
                if (row < directRows) {
                    return inBlock(child, childOffset, blockBytes, offset, count);
                }
                if (depth >= MOST_DEPTH) {
                    break;
                }
                int childRows = log2(blockBytes) - log2(firstBlock * width) + 1;
                return inTable(child, childRows, childOffset, offset, count, depth + 1);
            }
            start += blockBytes * width;
        }
        throw new MalformedHdf5Exception(
                bytes.position(table), "expected an object within its heap, found one at " + offset);
    }

    private static int log2(long number) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
    }
}
