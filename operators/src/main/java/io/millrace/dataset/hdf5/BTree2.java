package io.millrace.dataset.hdf5;

import java.io.IOException;

/**
 * A B-tree of version 2, whose nodes hold records (HDF5 File Format Specification, III.A.2). Immutable and safe for
 * several threads.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class BTree2 {
    static final int LINK_NAMES = 5;
    static final int CHUNKS = 10;
    static final int FILTERED_CHUNKS = 11;

    private static final int MOST_DEPTH = 32;
    private static final int NODE_OVERHEAD = 10;

    private final Hdf5Bytes bytes;
    private final int type;
    private final int nodeBytes;
    private final int recordBytes;
    private final long records;
    private final Child root;
    private final int depth;

    /** The sizes of the fields of a pointer to a node of each level: its own records, and all records below it. */
    private final int countBytes;

    private final int[] totalBytes;

    /** A pointer to a node. */
    private record Child(long address, int count) {}

    /** A function that receives the records in their order. */
    @FunctionalInterface
    interface Visitor {
        void record(Cursor record) throws IOException;
    }

    /** A comparison that finds a record. */
    @FunctionalInterface
    interface Order {
        /** Returns a negative number, 0 or a positive number when what is wanted lies before, at or after the record. */
        int compare(Cursor record) throws IOException;
    }

    private BTree2(Hdf5Bytes bytes, Cursor header) throws IOException {
        this.bytes = bytes;
        header.expect("BTHD");
        header.version("a B-tree", 0, 0);
        this.type = header.uint8();
        long node = header.uint32();
        this.recordBytes = header.uint16();
        this.depth = header.uint16();
        header.skip(2);
        long address = header.address();
        int count = header.uint16();
        this.root = new Child(address, count);
        this.records = header.length();
        if (depth > MOST_DEPTH || recordBytes < 1 || node < NODE_OVERHEAD + recordBytes || node > 1 << 24) {
            throw header.malformed("expected a B-tree of at most " + MOST_DEPTH + " levels, found " + depth
                    + " levels with records of " + recordBytes + " and nodes of " + node + " bytes");
        }
        this.nodeBytes = (int) node;
        long most = (node - NODE_OVERHEAD) / recordBytes;
        this.countBytes = encodedBytes(most);
        this.totalBytes = new int[depth + 1];
        long total = most;
        for (int level = 1; level <= depth; level++) {
            int pointer = bytes.offsetBytes() + countBytes + totalBytes[level - 1];
            most = (node - NODE_OVERHEAD - pointer) / (recordBytes + pointer);
            // No file has as many records as numbers have values.
            total = Math.min((most + 1) * total + most, Long.MAX_VALUE >> 24);
            totalBytes[level] = encodedBytes(total);
        }
    }

    static BTree2 of(Hdf5Bytes bytes, long address) throws IOException {
        return new BTree2(bytes, bytes.checkedBlock(address, 22L + bytes.offsetBytes() + bytes.lengthBytes()));
    }

    private static int encodedBytes(long most) {
        return (Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(most, 1))) / Byte.SIZE + 1;
    }

    int type() {
        return type;
    }

    int recordBytes() {
        return recordBytes;
    }

    /** Visits all records. */
    void visit(Visitor visitor) throws IOException {
        if (root.address != -1) {
            long visited = visit(root, depth, visitor, 0);
            if (visited != records) {
                throw new MalformedHdf5Exception(
                        bytes.position(root.address), "expected " + records + " records in a tree, found " + visited);
            }
        }
    }

    private long visit(Child child, int level, Visitor visitor, long before) throws IOException {
        Node node = new Node(child, level);
        long visited = before;
        for (int i = 0; i <= child.count; i++) {
            if (level > 0) {
                visited = visit(node.child(i), level - 1, visitor, visited);
            }
            if (i < child.count) {
                visited++;
                if (visited > records) {
                    throw new MalformedHdf5Exception(
                            bytes.position(child.address), "expected " + records + " records in a tree, found more");
                }
                visitor.record(node.record(i));
            }
        }
        return visited;
    }

    /** Returns whether the tree has a record for which the comparison is 0, and calls the visitor with it. */
    boolean find(Order order, Visitor visitor) throws IOException {
        Child child = root;
        for (int level = depth; level >= 0 && child.address != -1; level--) {
            Node node = new Node(child, level);
            int low = 0;
            int high = child.count;
            while (low < high) {
                int middle = (low + high) >>> 1;
                int compared = order.compare(node.record(middle));
                if (compared == 0) {
                    visitor.record(node.record(middle));
                    return true;
                }
                if (compared < 0) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            if (level > 0) {
                child = node.child(low);
            }
        }
        return false;
    }

    private final class Node {
        private final Cursor content;
        private final int count;
        private final int pointerBytes;

        Node(Child child, int level) throws IOException {
            this.count = child.count;
            this.pointerBytes = level == 0 ? 0 : bytes.offsetBytes() + countBytes + totalBytes[level - 1];
            int used = NODE_OVERHEAD + count * recordBytes + (level == 0 ? 0 : (count + 1) * pointerBytes);
            if (used > nodeBytes) {
                throw new MalformedHdf5Exception(
                        bytes.position(child.address), "expected a node of " + nodeBytes + " bytes, found " + used);
            }
            this.content = bytes.checkedBlock(child.address, used);
            content.expect(level == 0 ? "BTLF" : "BTIN");
            content.version("a B-tree's node", 0, 0);
            int found = content.uint8();
            if (found != type) {
                throw content.malformed("expected a node of type " + type + ", found " + found);
            }
        }

        Cursor record(int index) throws IOException {
            Cursor record = content.copy();
            record.skip(index * recordBytes);
            return record.part(recordBytes);
        }

        Child child(int index) throws IOException {
            Cursor pointer = content.copy();
            pointer.skip(count * recordBytes + index * pointerBytes);
            long address = pointer.address();
            return new Child(address, (int) pointer.unsigned(countBytes));
        }
    }
}
