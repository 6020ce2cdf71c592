package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The messages of a group, a dataset or a named type (HDF5 File Format Specification, IV.A). Only messages that are
 * requested are decoded, so an attribute of any kind does no harm.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class ObjectHeader {
    static final int DATASPACE = 0x01;
    static final int LINK_INFO = 0x02;
    static final int DATATYPE = 0x03;
    static final int OLD_FILL_VALUE = 0x04;
    static final int FILL_VALUE = 0x05;
    static final int LINK = 0x06;
    static final int EXTERNAL_FILES = 0x07;
    static final int LAYOUT = 0x08;
    static final int FILTERS = 0x0B;
    static final int SYMBOL_TABLE = 0x11;

    private static final int CONTINUATION = 0x10;
    private static final int SHARED = 2;

    private final Hdf5Bytes bytes;
    private final List<Message> messages = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private long blockBytes;

    private record Message(int type, int flags, Cursor content) {}

    private record Block(long address, long count) {}

    private ObjectHeader(Hdf5Bytes bytes) {
        this.bytes = bytes;
    }

    static ObjectHeader read(Hdf5Bytes bytes, long address) throws IOException {
        ObjectHeader header = new ObjectHeader(bytes);
        Cursor start = bytes.block(address, Math.min(bytes.left(address), 64));
        if (start.copy().uint8() == 'O') {
            header.readVersion2(address, start);
        } else {
            header.readVersion1(address, start);
        }
        return header;
    }

    private void readVersion1(long address, Cursor start) throws IOException {
        start.version("an object header", 1, 1);
        start.skip(1);
        int count = start.uint16();
        start.skip(4);
        long size = start.uint32();
        blocks.add(new Block(address + 16, size));
        for (int i = 0; i < blocks.size(); i++) {
            Cursor block = bytes.block(blocks.get(i).address, blocks.get(i).count);
            while (block.left() >= 8 && messages.size() < count) {
                int type = block.uint16();
                int length = block.uint16();
                int flags = block.uint8();
                block.skip(3);
                add(type, flags, block.part(length));
            }
        }
    }

    private void readVersion2(long address, Cursor start) throws IOException {
        start.expect("OHDR");
        start.version("an object header", 2, 2);
        int flags = start.uint8();
        start.skip((flags & 0x20) != 0 ? 16 : 0);
        start.skip((flags & 0x10) != 0 ? 4 : 0);
        long size = start.unsigned(1 << (flags & 3));
        long prefix = start.position() - bytes.position(address);
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw start.malformed("expected an object header's size, found " + Long.toUnsignedString(size));
        }
        blocks.add(new Block(address, prefix + size + 4));
        for (int i = 0; i < blocks.size(); i++) {
            Cursor block = bytes.checkedBlock(blocks.get(i).address, blocks.get(i).count);
            if (i == 0) {
                block.skip((int) prefix);
            } else {
                block.expect("OCHK");
            }
            int messageBytes = (flags & 4) != 0 ? 6 : 4;
            // The checksum follows the messages, after a gap that is too short for a message.
            while (block.left() >= messageBytes + 4) {
                int type = block.uint8();
                int length = block.uint16();
                int messageFlags = block.uint8();
                block.skip(messageBytes - 4);
                add(type, messageFlags, block.part(length));
            }
        }
    }

    private void add(int type, int flags, Cursor content) throws MalformedHdf5Exception {
        messages.add(new Message(type, flags, content));
        if (type == CONTINUATION) {
            Cursor target = content.copy();
            Block block = new Block(target.address(), target.length());
            blockBytes += Math.min(block.count, bytes.file().size()) + 1;
            // The blocks stay in memory. They lie side by side in the file, unless they are a circle or overlap.
            if (blockBytes > bytes.file().size()) {
                throw content.malformed("expected blocks of an object header that fit into the file, found more");
            }
            blocks.add(block);
        }
    }

    /** Returns the content of the message of a type. */
    Optional<Cursor> find(int type) throws IOException {
        for (Message message : messages) {
            if (message.type == type) {
                return Optional.of(content(message));
            }
        }
        return Optional.empty();
    }

    /** Returns the contents of all messages of a type. */
    List<Cursor> all(int type) throws IOException {
        List<Cursor> found = new ArrayList<>();
        for (Message message : messages) {
            if (message.type == type) {
                found.add(content(message));
            }
        }
        return found;
    }

    /** Returns the message's own content, or that of the named type to which it refers. */
    private Cursor content(Message message) throws IOException {
        Cursor content = message.content.copy();
        if ((message.flags & SHARED) == 0) {
            return content;
        }
        int version = content.version("a shared message", 1, 3);
        int kind = content.uint8();
        if (version == 3 && kind == 1) {
            throw new UnsupportedHdf5Exception(
                    "has its description in the file's table of shared messages, which is not supported; copy the file"
                            + " with h5repack");
        }
        content.skip(version == 1 ? 6 : 0);
        for (Message named : read(bytes, content.address()).messages) {
            if (named.type == message.type && (named.flags & SHARED) == 0) {
                return named.content.copy();
            }
        }
        throw content.malformed("expected a named type, found an object without one");
    }
}
