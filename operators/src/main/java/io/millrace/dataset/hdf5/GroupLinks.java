package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The links of a group, in any of the three forms of storage: a table of symbols, messages in the group's header, or a
 * heap with an index. The objects to which the links lead are not read.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class GroupLinks {
    private static final int MOST_DEPTH = 64;

    private final Hdf5Bytes bytes;
    private final List<GroupLink> links = new ArrayList<>();

    /** The bytes of the nodes and the letters of the names so far. In a sound group, each of them is in the file once. */
    private long found;

    private GroupLinks(Hdf5Bytes bytes) {
        this.bytes = bytes;
    }

    /** Returns the links in the order of the file. The result is empty for an object that is no group. */
    static Optional<List<GroupLink>> of(Hdf5Bytes bytes, ObjectHeader header) throws IOException {
        Optional<Cursor> table = header.find(ObjectHeader.SYMBOL_TABLE);
        Optional<Cursor> info = header.find(ObjectHeader.LINK_INFO);
        List<Cursor> messages = header.all(ObjectHeader.LINK);
        if (table.isEmpty() && info.isEmpty() && messages.isEmpty()) {
            return Optional.empty();
        }
        GroupLinks group = new GroupLinks(bytes);
        if (table.isPresent()) {
            long tree = table.get().address();
            group.symbols(tree, new LocalHeap(bytes, table.get().address()), 0, -1);
        }
        for (Cursor message : messages) {
            group.add(GroupLink.read(message));
        }
        if (info.isPresent()) {
            group.indexed(info.get());
        }
        return Optional.of(group.links);
    }

    private void add(GroupLink link) throws MalformedHdf5Exception {
        // Every link takes more bytes than that in the file.
        count(link.name().length() + link.target().length() + 8L);
        links.add(link);
    }

    /** Counts bytes of the file. More than it has come of a tree with a circle, or of names and nodes that are used again. */
    private void count(long bytesOfFile) throws MalformedHdf5Exception {
        found += bytesOfFile;
        if (found > bytes.file().size()) {
            throw new MalformedHdf5Exception(0, "expected a group whose links fit into the file, found more");
        }
    }

    private void symbols(long address, LocalHeap names, int depth, int expectedLevel) throws IOException {
        Cursor node = bytes.block(address, Math.min(bytes.left(address), 8 + 2L * bytes.offsetBytes()));
        node.expect("TREE");
        int type = node.uint8();
        int level = node.uint8();
        if (type != 0 || depth > MOST_DEPTH || (expectedLevel >= 0 && level != expectedLevel)) {
            throw node.malformed("expected a node of level " + expectedLevel + " in a group's tree, found type " + type
                    + ", level " + level);
        }
        int entries = node.uint16();
        int entryBytes = bytes.lengthBytes() + bytes.offsetBytes();
        count(8 + (long) entries * entryBytes);
        Cursor children =
                bytes.block(node.position() - bytes.base() + 2L * bytes.offsetBytes(), (long) entries * entryBytes);
        for (int i = 0; i < entries; i++) {
            children.skip(bytes.lengthBytes());
            long child = children.address();
            if (level > 0) {
                symbols(child, names, depth + 1, level - 1);
            } else {
                symbolNode(child, names);
            }
        }
    }

    private void symbolNode(long address, LocalHeap names) throws IOException {
        count(8);
        Cursor start = bytes.block(address, 8);
        start.expect("SNOD");
        start.version("a symbol node", 1, 1);
        start.skip(1);
        int count = start.uint16();
        int entryBytes = 2 * bytes.offsetBytes() + 24;
        Cursor entries = bytes.block(address + 8, (long) count * entryBytes);
        for (int i = 0; i < count; i++) {
            Cursor entry = entries.part(entryBytes);
            String name = names.text(entry.unsigned(bytes.offsetBytes()));
            long object = entry.address();
            boolean soft = entry.uint32() == 2;
            entry.skip(4);
            add(soft ? GroupLink.soft(name, names.text(entry.uint32())) : GroupLink.hard(name, object));
        }
    }

    private void indexed(Cursor info) throws IOException {
        info.version("a group's link info", 0, 0);
        int flags = info.uint8();
        info.skip((flags & 1) != 0 ? Long.BYTES : 0);
        long heapAddress = info.address();
        long treeAddress = info.address();
        if (heapAddress == -1 || treeAddress == -1) {
            return;
        }
        FractalHeap heap = FractalHeap.of(bytes, heapAddress);
        BTree2 tree = BTree2.of(bytes, treeAddress);
        if (tree.type() != BTree2.LINK_NAMES) {
            throw info.malformed("expected an index of links by name, found one of type " + tree.type());
        }
        tree.visit(record -> {
            record.skip(Integer.BYTES);
            add(GroupLink.read(heap.object(record)));
        });
    }

    /** The names of a table of symbols. */
    private static final class LocalHeap {
        private static final int MOST_NAME_BYTES = 1 << 16;

        private final Hdf5Bytes bytes;
        private final long address;
        private final long count;

        LocalHeap(Hdf5Bytes bytes, long address) throws IOException {
            this.bytes = bytes;
            Cursor header = bytes.block(address, 8 + 2L * bytes.lengthBytes() + bytes.offsetBytes());
            header.expect("HEAP");
            header.version("a heap of names", 0, 0);
            header.skip(3);
            this.count = header.length();
            header.skip(bytes.lengthBytes());
            this.address = header.address();
        }

        String text(long offset) throws IOException {
            if (offset < 0 || offset >= count || offset >= bytes.left(address)) {
                throw new MalformedHdf5Exception(
                        bytes.position(address), "expected a name within its heap, found one at " + offset);
            }
            long most = Math.min(Math.min(count, bytes.left(address)) - offset, MOST_NAME_BYTES);
            for (long guess = Math.min(most, 64); ; guess = Math.min(most, 8 * guess)) {
                Cursor name = bytes.block(address + offset, guess);
                try {
                    return name.terminated();
                } catch (MalformedHdf5Exception e) {
                    if (guess == most) {
                        throw e;
                    }
                }
            }
        }
    }
}
