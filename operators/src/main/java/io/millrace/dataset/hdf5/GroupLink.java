package io.millrace.dataset.hdf5;

/**
 * An entry of a group.
 *
 * @param address the address of the object's header; -1 unless the kind is HARD
 * @param target the path to which a soft link leads, or the file of an external link
 */
record GroupLink(String name, Kind kind, long address, String target) {
    /** The kinds of links. */
    enum Kind {
        HARD,
        SOFT,
        EXTERNAL,
        /** A link that only the program that wrote it can follow. */
        OTHER
    }

    private static final int SOFT_TYPE = 1;
    private static final int EXTERNAL_TYPE = 64;

    static GroupLink hard(String name, long address) {
        return new GroupLink(name, Kind.HARD, address, "");
    }

    static GroupLink soft(String name, String target) {
        return new GroupLink(name, Kind.SOFT, -1, target);
    }

    /** Reads a link message (HDF5 File Format Specification, IV.A.2.g). */
    static GroupLink read(Cursor message) throws MalformedHdf5Exception {
        message.version("a link", 1, 1);
        int flags = message.uint8();
        int type = (flags & 8) != 0 ? message.uint8() : 0;
        message.skip((flags & 4) != 0 ? Long.BYTES : 0);
        message.skip((flags & 16) != 0 ? 1 : 0);
        long nameBytes = message.unsigned(1 << (flags & 3));
        if (nameBytes < 0 || nameBytes > message.left()) {
            throw message.malformed("expected the name of a link, found a length of " + nameBytes);
        }
        String name = message.text((int) nameBytes);
        if (type == 0) {
            return hard(name, message.address());
        }
        int count = message.uint16();
        if (type == SOFT_TYPE) {
            return soft(name, message.text(count));
        }
        if (type == EXTERNAL_TYPE) {
            message.skip(1);
            return new GroupLink(name, Kind.EXTERNAL, -1, message.terminated());
        }
        return new GroupLink(name, Kind.OTHER, -1, "");
    }
}
