package io.millrace.dataset.tokens;

import io.millrace.dataset.shard.DeltaLengths;
import io.millrace.dataset.shard.ShardIndex;
import io.millrace.dataset.shard.ShardLoss;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The documents of one array of ids.
 *
 * @param even the length of each document but the last, where pieces of one length were cut; 0 where {@code lengths} has them
 */
record TokenIndex(TokenArray array, int even, DeltaLengths lengths) implements ShardIndex {
    TokenIndex {
        if (even == 0 && lengths.total() != array.tokens()) {
            throw new IllegalArgumentException(
                    "expected documents of " + array.tokens() + " tokens, found " + lengths.total());
        }
    }

    /** Returns documents of {@code length} tokens, of which the last may be shorter. */
    static TokenIndex even(TokenArray array, int length) throws IOException {
        return new TokenIndex(array, length, new DeltaLengths.Builder().build());
    }

    /** Returns the number of a document's first token in the array; that of document {@link #samples} is the end. */
    long first(int document) {
        return even == 0 ? lengths.start(document) : Math.min((long) document * even, array.tokens());
    }

    @Override
    public int samples() {
        return even == 0 ? lengths.count() : Math.toIntExact((array.tokens() + even - 1) / even);
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
        out.writeUTF(array.type().name());
        out.writeInt(array.offset());
        out.writeLong(array.tokens());
        out.writeInt(even);
        lengths.write(out);
    }

    static TokenIndex read(DataInputStream in) throws IOException {
        String type = in.readUTF();
        TokenType known = Arrays.stream(TokenType.values())
                .filter(each -> each.name().equals(type))
                .findFirst()
                .orElseThrow(() -> new IOException("expected a type of ids, found " + type));
        TokenArray array = new TokenArray(known, in.readInt(), in.readLong());
        int even = in.readInt();
        DeltaLengths lengths = DeltaLengths.read(in);
        if (array.offset() < 0 || even < 0 || (even == 0 && lengths.total() != array.tokens())) {
            throw new IOException("expected documents of " + array.tokens() + " tokens, found " + lengths.total());
        }
        return new TokenIndex(array, even, lengths);
    }
}
