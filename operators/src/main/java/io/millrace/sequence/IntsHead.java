package io.millrace.sequence;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The head of a file of 32-bit numbers that belongs to certain data. It has {@value #BYTES} bytes: 8 that name the kind of the file, the
 * version and the CRC-32C of the numbers (4 each), how many numbers there are (8), the SHA-256 of what the numbers depend on (32), 4 zeros,
 * and the CRC-32C of the 60 bytes before. The numbers follow it. All numbers are little-endian.
 *
 * <p>Tested by {@code LengthsFileTest} and {@code SequencePlanFileTest}.
 *
 * @param kind the kind of the file
 * @param key the hash of what the numbers depend on, in hexadecimal digits
 * @param count how many numbers there are
 * @param contentSum the checksum of the numbers
 */
record IntsHead(Kind kind, String key, long count, int contentSum) {
    static final int BYTES = 64;

    private static final int VERSION = 1;
    private static final int KEY_BYTES = 32;
    private static final int SUM_AT = BYTES - Integer.BYTES;
    private static final int BUFFER = 1 << 18;
    private static final int SHORT_KEY = 12;

    /** The kinds of files. */
    enum Kind {
        /** The lengths of all documents. */
        LENGTHS("MRLENGTH", "document lengths"),
        /** The lengths of some documents, while they are being counted. */
        PARTIAL_LENGTHS("MRLENGT~", "unfinished document lengths"),
        /** The numbers of packs of windows. */
        PLAN("MRPACKPL", "a plan of packs");

        private final String magic;
        private final String content;

        Kind(String magic, String content) {
            this.magic = magic;
            this.content = content;
        }

        private byte[] magicBytes() {
            return magic.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** Returns the key of data that the parts identify. */
    static String key(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
                digest.update(part);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Writes the head at the start of a file. */
    void write(FileChannel file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        put(bytes);
        writeFully(file, bytes.clear(), 0);
    }

    /** Writes the head to the first bytes of a little-endian buffer. */
    void put(ByteBuffer bytes) {
        bytes.clear();
        bytes.put(kind.magicBytes()).putInt(VERSION).putInt(contentSum).putLong(count);
        bytes.put(HexFormat.of().parseHex(key));
        bytes.putInt(SUM_AT, sum(bytes));
    }

    private static int sum(ByteBuffer head) {
        CRC32C crc = new CRC32C();
        crc.update(head.duplicate().position(0).limit(SUM_AT));
        return (int) crc.getValue();
    }

    /**
     * Reads the head of a file, and checks that the file is of this kind, whole, and about the same data.
     *
     * @throws UnusableCountsException when it is not; the message is a sentence with the file, what was expected and what was found
     */
    static IntsHead read(FileChannel file, Path path, Kind kind, String key) throws IOException {
        long size = file.size();
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        readFully(file, bytes, 0);
        if (bytes.position() < BYTES
                || !Arrays.equals(bytes.array(), 0, Long.BYTES, kind.magicBytes(), 0, Long.BYTES)) {
            throw new UnusableCountsException(path + " is no file of " + kind.content + ": expected a head of " + BYTES
                    + " bytes that begins with " + HexFormat.of().formatHex(kind.magicBytes()) + ", found "
                    + HexFormat.of().formatHex(bytes.array(), 0, Math.min(Long.BYTES, bytes.position())) + " in "
                    + size + " bytes");
        }
        if (bytes.getInt(SUM_AT) != sum(bytes)) {
            throw new UnusableCountsException(
                    path + " is damaged: expected the checksum " + Integer.toHexString(sum(bytes))
                            + " of its head, found " + Integer.toHexString(bytes.getInt(SUM_AT)));
        }
        bytes.position(Long.BYTES);
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new UnusableCountsException(
                    path + " has another version: expected " + VERSION + ", found " + version);
        }
        int contentSum = bytes.getInt();
        long count = bytes.getLong();
        String found = HexFormat.of().formatHex(bytes.array(), bytes.position(), bytes.position() + KEY_BYTES);
        if (!found.equals(key)) {
            throw new UnusableCountsException(path + " belongs to other data or other options: expected the key "
                    + shown(key) + ", found " + shown(found));
        }
        long expected = BYTES + count * Integer.BYTES;
        if (size != expected) {
            throw new UnusableCountsException(
                    path + " is not whole: expected " + expected + " bytes for " + count + " numbers, found " + size);
        }
        return new IntsHead(kind, key, count, contentSum);
    }

    private static String shown(String key) {
        return key.substring(0, SHORT_KEY) + "...";
    }

    /**
     * Checks the numbers of a file against the checksum of its head.
     *
     * @throws UnusableCountsException when they differ; the message is a sentence
     */
    void requireContent(FileChannel file, Path path) throws IOException {
        CRC32C crc = new CRC32C();
        scan(file, count, (first, numbers) -> crc.update(numbers));
        if ((int) crc.getValue() != contentSum) {
            throw new UnusableCountsException(
                    path + " is damaged: expected the checksum " + Integer.toHexString(contentSum) + " of its " + count
                            + " numbers, found " + Integer.toHexString((int) crc.getValue()));
        }
    }

    /** A function that looks at some numbers of a file. */
    interface Scanner {
        /**
         * Looks at numbers.
         *
         * @param first the number of the first one
         * @param numbers the bytes of the numbers, little-endian
         */
        void scan(long first, ByteBuffer numbers) throws IOException;
    }

    /** Calls a function for all numbers of a file, in order, with constant memory. */
    static void scan(FileChannel file, long count, Scanner scanner) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
        int most = BUFFER / Integer.BYTES;
        for (long first = 0; first < count; first += most) {
            buffer.clear().limit((int) Math.min(most, count - first) * Integer.BYTES);
            readFully(file, buffer, BYTES + first * Integer.BYTES);
            if (buffer.hasRemaining()) {
                throw new IOException("a file of " + count + " numbers became shorter while it was read");
            }
            scanner.scan(first, buffer.flip());
        }
    }

    /** Fills the buffer with the bytes of a file from a place on, as far as there are any. */
    static void readFully(FileChannel file, ByteBuffer bytes, long at) throws IOException {
        long place = at - bytes.position();
        int read = 0;
        while (bytes.hasRemaining() && read >= 0) {
            read = file.read(bytes, place + bytes.position());
        }
    }

    /** Writes all remaining bytes of the buffer at a place of a file. */
    static void writeFully(FileChannel file, ByteBuffer bytes, long at) throws IOException {
        long place = at - bytes.position();
        while (bytes.hasRemaining()) {
            file.write(bytes, place + bytes.position());
        }
    }
}
