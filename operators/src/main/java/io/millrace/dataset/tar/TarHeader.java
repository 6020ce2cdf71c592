package io.millrace.dataset.tar;

import io.millrace.dataset.shard.LostStructureException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One header block: the name, size and type of the member that follows. The formats ustar, GNU tar and their
 * predecessors are supported.
 *
 * <p>Tested by {@code TarDatasetTest}.
 *
 * @param name the name with the ustar prefix; each Latin-1 letter holds one byte, so that no byte is lost
 * @param linkName the name of a link's target, in the same form; empty in other headers
 * @param size the size in bytes, 0 or more
 * @param type the type flag, such as {@code '0'} for a file
 * @param extended whether a GNU sparse header continues in the next block
 */
record TarHeader(String name, String linkName, long size, char type, boolean extended) {
    static final int BLOCK_BYTES = 512;

    private static final int NAME_BYTES = 100;
    private static final int SIZE_OFFSET = 124;
    private static final int SIZE_BYTES = 12;
    private static final int CHECKSUM_OFFSET = 148;
    private static final int CHECKSUM_BYTES = 8;
    private static final int TYPE_OFFSET = 156;
    private static final int LINK_OFFSET = 157;
    private static final int MAGIC_OFFSET = 257;
    private static final int PREFIX_OFFSET = 345;
    private static final int PREFIX_BYTES = 155;

    /** The length of the prefix in headers of Schilling's star, which stores times behind it. */
    private static final int STAR_PREFIX_BYTES = 131;

    private static final int STAR_MAGIC_OFFSET = 508;
    private static final int SPARSE_EXTENDED_OFFSET = 482;
    private static final String USTAR = "ustar\0";
    private static final String STAR = "tar\0";

    /** The flags of files. Folders, links and other members have no content. */
    private static final String FILES = "0\0" + "7S";

    private static final char HARD_LINK = '1';
    private static final char SYMBOLIC_LINK = '2';

    private static final String WITHOUT_CONTENT = "123456";

    /** Returns whether the block is all zeros, like the blocks at the end of an archive. */
    static boolean isEnd(ByteBuffer block) {
        for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
            if (block.getLong(at) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads a header.
     *
     * @param block a block of {@link #BLOCK_BYTES} bytes
     * @param offset the offset of the block, for messages
     */
    static TarHeader parse(ByteBuffer block, long offset) throws LostStructureException {
        requireChecksum(block, offset);
        char type = (char) (block.get(TYPE_OFFSET) & 0xFF);
        String prefix = prefix(block);
        String name = (prefix.isEmpty() ? "" : prefix + "/") + text(block, 0, NAME_BYTES);
        long size = number(block, SIZE_OFFSET, SIZE_BYTES);
        if (size < 0) {
            throw new LostStructureException(
                    offset + SIZE_OFFSET, "expected the size of a tar member, found " + hex(block, SIZE_OFFSET));
        }
        return new TarHeader(
                name,
                text(block, LINK_OFFSET, NAME_BYTES),
                size,
                type,
                type == 'S' && block.get(SPARSE_EXTENDED_OFFSET) != 0);
    }

    /**
     * Returns the part of the name that ustar stores separately. GNU tar stores times there; but Go before version 1.8 stored
     * a prefix also in headers of GNU's form, which begins with a letter and not with a digit.
     */
    private static String prefix(ByteBuffer block) {
        String magic = text(block, MAGIC_OFFSET, USTAR.length());
        if (magic.equals("ustar")) {
            boolean star = text(block, STAR_MAGIC_OFFSET, STAR.length()).equals("tar");
            return text(block, PREFIX_OFFSET, star ? STAR_PREFIX_BYTES : PREFIX_BYTES);
        }
        boolean time = number(block, PREFIX_OFFSET, SIZE_BYTES) >= 0 || block.get(PREFIX_OFFSET) < 0;
        return magic.equals("ustar ") && !time ? text(block, PREFIX_OFFSET, PREFIX_BYTES) : "";
    }

    /** Returns whether a block could be a header or the end of an archive, by its checksum. */
    static boolean isHeaderOrEnd(ByteBuffer block) {
        return isEnd(block) || hasChecksum(block);
    }

    private static boolean hasChecksum(ByteBuffer block) {
        try {
            requireChecksum(block, 0);
            return true;
        } catch (LostStructureException e) {
            return false;
        }
    }

    private static void requireChecksum(ByteBuffer block, long offset) throws LostStructureException {
        long expected = number(block, CHECKSUM_OFFSET, CHECKSUM_BYTES);
        long unsigned = CHECKSUM_BYTES * (long) ' ';
        long signed = unsigned;
        for (int at = 0; at < BLOCK_BYTES; at++) {
            if (at < CHECKSUM_OFFSET || at >= CHECKSUM_OFFSET + CHECKSUM_BYTES) {
                unsigned += block.get(at) & 0xFF;
                signed += block.get(at);
            }
        }
        // Some old programs added signed bytes.
        if (expected != unsigned && expected != signed) {
            throw new LostStructureException(
                    offset,
                    "expected a tar header, whose checksum would be " + Long.toOctalString(unsigned)
                            + " (octal), found " + (expected < 0 ? "none" : Long.toOctalString(expected)));
        }
    }

    /**
     * Returns a number that is stored as octal digits between blanks, or as binary when its first bit is set. Returns
     * -1 for all other content.
     */
    private static long number(ByteBuffer block, int offset, int bytes) {
        byte first = block.get(offset);
        if (first == (byte) 0x80) {
            long value = 0;
            for (int at = offset + 1; at < offset + bytes; at++) {
                if (value >>> (Long.SIZE - 1 - Byte.SIZE) != 0) {
                    return -1;
                }
                value = value << Byte.SIZE | (block.get(at) & 0xFF);
            }
            return value;
        }
        String digits = text(block, offset, bytes).strip();
        if (digits.chars().anyMatch(digit -> digit < '0' || digit > '7')) {
            return -1;
        }
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }

    private static String text(ByteBuffer block, int offset, int most) {
        byte[] bytes = new byte[most];
        block.get(offset, bytes);
        int length = 0;
        while (length < most && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    private static String hex(ByteBuffer block, int offset) {
        StringBuilder hex = new StringBuilder();
        for (int at = offset; at < offset + SIZE_BYTES; at++) {
            hex.append(String.format("%02x", block.get(at)));
        }
        return hex.toString();
    }

    /** Returns whether the member is a file. In old archives, folders are files whose name ends with a slash. */
    boolean isFile() {
        return FILES.indexOf(type) >= 0 && !(type == 0 && name.endsWith("/"));
    }

    boolean isSparse() {
        return type == 'S';
    }

    boolean isHardLink() {
        return type == HARD_LINK;
    }

    boolean isSymbolicLink() {
        return type == SYMBOLIC_LINK;
    }

    /** Returns the number of bytes in the archive after the header. */
    long contentBytes() {
        return WITHOUT_CONTENT.indexOf(type) >= 0 ? 0 : size;
    }
}
