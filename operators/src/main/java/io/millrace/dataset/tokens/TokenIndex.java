package io.millrace.dataset.tokens;

import io.millrace.dataset.shard.ShardIndex;
import io.millrace.dataset.shard.ShardLoss;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The documents of one array of ids. The lengths of the documents are kept as numbers of 7 bits a byte, most of which need 2 bytes, and
 * the place of every 128th document in full. Documents of one length, as the option {@code length} cuts them, need no list.
 *
 * <p>Tested by {@code TokenIndexTest}.
 */
final class TokenIndex implements ShardIndex {
    private static final int BLOCK = 128;
    private static final int MOST_VARINT_BYTES = 9;

    private final TokenArray array;
    private final int documents;

    /** The length of each document but the last; 0 where {@link #lengths} has them. */
    private final long even;

    private final byte[] lengths;
    private final long[] blockTokens;
    private final int[] blockBytes;

    private TokenIndex(TokenArray array, int documents, long even, byte[] lengths) throws IOException {
        this.array = array;
        this.documents = documents;
        this.even = even;
        this.lengths = lengths;
        int blocks = even > 0 ? 0 : (documents + BLOCK - 1) / BLOCK;
        this.blockTokens = new long[blocks];
        this.blockBytes = new int[blocks];
        long token = 0;
        int at = 0;
        for (int document = 0; even == 0 && document < documents; document++) {
            if (document % BLOCK == 0) {
                blockTokens[document / BLOCK] = token;
                blockBytes[document / BLOCK] = at;
            }
            int end = at;
            while (end < lengths.length && lengths[end] < 0) {
                end++;
            }
            if (end >= lengths.length || end - at >= MOST_VARINT_BYTES) {
                throw new IOException("expected the lengths of " + documents + " documents, found " + document);
            }
            token += number(at);
            at = end + 1;
        }
        if (even == 0 && (token != array.tokens() || at != lengths.length)) {
            throw new IOException("expected documents of " + array.tokens() + " tokens, found " + token);
        }
    }

    /** Returns documents of {@code length} tokens, of which the last may be shorter. */
    static TokenIndex even(TokenArray array, long length) throws IOException {
        return new TokenIndex(array, Math.toIntExact((array.tokens() + length - 1) / length), length, new byte[0]);
    }

    /** A list of the lengths of documents, to which one thread adds. */
    static final class Builder {
        private byte[] lengths = new byte[1 << 10];
        private int used;
        private int documents;

        /** Adds a document of {@code tokens} tokens, 1 or more. */
        void add(long tokens) throws IOException {
            if (used > Integer.MAX_VALUE - 2 * MOST_VARINT_BYTES) {
                throw new IOException("expected up to " + documents + " documents in a file, found more");
            }
            if (used + MOST_VARINT_BYTES > lengths.length) {
                lengths = Arrays.copyOf(lengths, (int) Math.min(Integer.MAX_VALUE - 8L, lengths.length * 3L / 2));
            }
            long rest = tokens;
            for (; rest > 0x7F; rest >>>= 7) {
                lengths[used++] = (byte) (rest | 0x80);
            }
            lengths[used++] = (byte) rest;
            documents++;
        }

        TokenIndex build(TokenArray array) throws IOException {
            return new TokenIndex(array, documents, 0, Arrays.copyOf(lengths, used));
        }
    }

    /** Returns the number of a document's first token in the array; that of document {@link #samples} is the end. */
    long first(int document) {
        if (document == documents) {
            return array.tokens();
        }
        if (even > 0) {
            return document * even;
        }
        long token = blockTokens[document / BLOCK];
        int at = blockBytes[document / BLOCK];
        for (int before = document % BLOCK; before > 0; before--) {
            token += number(at);
            while (lengths[at] < 0) {
                at++;
            }
            at++;
        }
        return token;
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

    TokenArray array() {
        return array;
    }

    @Override
    public int samples() {
        return documents;
    }

    @Override
    public Optional<ShardLoss> loss() {
        return Optional.empty();
    }

    @Override
    public long contentBytes() {
        return array.tokens() * array.type().bytes();
    }

    void write(DataOutputStream out) throws IOException {
        out.writeByte(array.type().ordinal());
        out.writeInt(array.offset());
        out.writeLong(array.tokens());
        out.writeInt(documents);
        out.writeLong(even);
        out.write(lengths);
    }

    static TokenIndex read(DataInputStream in) throws IOException {
        int type = in.readUnsignedByte();
        TokenType[] types = TokenType.values();
        if (type >= types.length) {
            throw new IOException("expected a type of ids, found " + type);
        }
        TokenArray array = new TokenArray(types[type], in.readInt(), in.readLong());
        int documents = in.readInt();
        long even = in.readLong();
        byte[] lengths = in.readAllBytes();
        if (array.offset() < 0 || array.tokens() < 0 || documents < 0 || even < 0) {
            throw new IOException("expected numbers of 0 or more, found " + array);
        }
        return new TokenIndex(array, documents, even, lengths);
    }
}
