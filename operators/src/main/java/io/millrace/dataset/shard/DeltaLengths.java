package io.millrace.dataset.shard;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * The lengths of consecutive pieces of a file, of which there may be hundreds of millions. A length is a number of 7 bits a byte, so most
 * need 2 bytes, and the place of every 128th piece is kept in full. Immutable and safe for several threads.
 *
 * <p>Tested by {@code DeltaLengthsTest}.
 */
public final class DeltaLengths {
    private static final int BLOCK = 128;
    private static final int MOST_VARINT_BYTES = 9;

    private final int count;
    private final long total;
    private final byte[] lengths;
    private final long[] blockPlaces;
    private final int[] blockBytes;

    private DeltaLengths(int count, byte[] lengths) throws IOException {
        this.count = count;
        this.lengths = lengths;
        int blocks = (int) ((count + BLOCK - 1L) / BLOCK);
        this.blockPlaces = new long[blocks];
        this.blockBytes = new int[blocks];
        long place = 0;
        int at = 0;
        for (int piece = 0; piece < count; piece++) {
            if (piece % BLOCK == 0) {
                blockPlaces[piece / BLOCK] = place;
                blockBytes[piece / BLOCK] = at;
            }
            int end = at;
            while (end < lengths.length && lengths[end] < 0) {
                end++;
            }
            if (end >= lengths.length || end - at >= MOST_VARINT_BYTES) {
                throw new IOException("expected the lengths of " + count + " pieces, found " + piece);
            }
            place += number(at);
            at = end + 1;
        }
        if (place < 0 || at != lengths.length) {
            throw new IOException("expected " + at + " bytes of lengths, found " + lengths.length);
        }
        this.total = place;
    }

    /** A list of lengths to which one thread adds. */
    public static final class Builder {
        private byte[] lengths = new byte[1 << 10];
        private int used;
        private int count;

        /**
         * Adds the length of the next piece.
         *
         * @param length 0 or more
         * @throws IOException when the list is full
         */
        public void add(long length) throws IOException {
            if (used > Integer.MAX_VALUE - 2 * MOST_VARINT_BYTES) {
                throw new IOException("expected up to " + count + " samples in a file, found more; divide the file");
            }
            if (used + MOST_VARINT_BYTES > lengths.length) {
                lengths = Arrays.copyOf(lengths, (int) Math.min(Integer.MAX_VALUE - 8L, lengths.length * 3L / 2));
            }
            long rest = length;
            for (; rest > 0x7F; rest >>>= 7) {
                lengths[used++] = (byte) (rest | 0x80);
            }
            lengths[used++] = (byte) rest;
            count++;
        }

        /** Returns the number of lengths so far. */
        public int count() {
            return count;
        }

        /** Returns the list. */
        public DeltaLengths build() throws IOException {
            return new DeltaLengths(count, Arrays.copyOf(lengths, used));
        }
    }

    /** Returns the number of pieces. */
    public int count() {
        return count;
    }

    /** Returns the sum of all lengths. */
    public long total() {
        return total;
    }

    /** Returns the sum of the lengths before a piece, 0 to {@link #count}. */
    public long start(int piece) {
        if (piece == count) {
            return total;
        }
        long place = blockPlaces[piece / BLOCK];
        int at = blockBytes[piece / BLOCK];
        for (int before = piece % BLOCK; before > 0; before--) {
            place += number(at);
            while (lengths[at] < 0) {
                at++;
            }
            at++;
        }
        return place;
    }

    /** A function of a length. */
    @FunctionalInterface
    interface LengthConsumer {
        void accept(long length) throws IOException;
    }

    /** Calls a function for each length, in their order. */
    void forEach(LengthConsumer consumer) throws IOException {
        for (int at = 0; at < lengths.length; at++) {
            consumer.accept(number(at));
            while (lengths[at] < 0) {
                at++;
            }
        }
    }

    private long number(int at) {
        long number = 0;
        int from = at;
        for (int bits = 0; ; bits += 7) {
            byte part = lengths[from++];
            number |= (part & 0x7FL) << bits;
            if (part >= 0) {
                return number;
            }
        }
    }

    /** Writes the list. */
    public void write(DataOutputStream out) throws IOException {
        out.writeInt(count);
        out.writeInt(lengths.length);
        out.write(lengths);
    }

    /**
     * Reads a list that {@link #write} wrote.
     *
     * @throws IOException when {@code in} contains other bytes
     */
    public static DeltaLengths read(DataInputStream in) throws IOException {
        int count = in.readInt();
        int bytes = in.readInt();
        if (count < 0 || bytes < count || bytes > in.available()) {
            throw new IOException(
                    "expected at most the remaining bytes, found " + bytes + " for " + count + " lengths");
        }
        byte[] lengths = new byte[bytes];
        in.readFully(lengths);
        return new DeltaLengths(count, lengths);
    }
}
