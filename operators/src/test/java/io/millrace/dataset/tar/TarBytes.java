package io.millrace.dataset.tar;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** A builder of archives, block by block, for archives that no program writes. */
final class TarBytes {
    static final int BLOCK = 512;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Adds a file. */
    TarBytes file(String name, String content) {
        return member(name, '0', content, block -> {});
    }

    /** Adds a member whose header is changed before its checksum is computed. */
    TarBytes member(String name, char type, String content, Consumer<byte[]> change) {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        byte[] block = new byte[BLOCK];
        put(block, 0, name);
        put(block, 100, "0000644\0");
        put(block, 124, String.format("%011o\0", bytes.length));
        put(block, 136, "00000000000\0");
        block[156] = (byte) type;
        put(block, 257, "ustar\0" + "00");
        change.accept(block);
        checksum(block);
        out.writeBytes(block);
        out.writeBytes(bytes);
        out.writeBytes(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
        return this;
    }

    /** Returns the archive with its two blocks of zeros. */
    byte[] end() {
        out.writeBytes(new byte[2 * BLOCK]);
        return bytes();
    }

    /** Returns the archive so far. */
    byte[] bytes() {
        return out.toByteArray();
    }

    static void put(byte[] block, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, block, offset, bytes.length);
    }

    static void checksum(byte[] block) {
        Arrays.fill(block, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte value : block) {
            sum += value & 0xFF;
        }
        put(block, 148, String.format("%06o\0", sum));
    }
}
