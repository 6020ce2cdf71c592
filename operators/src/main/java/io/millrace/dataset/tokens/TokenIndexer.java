package io.millrace.dataset.tokens;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.DeltaLengths;
import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardIndexer;
import io.millrace.dataset.shard.SharedIndexes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The search for the documents in an array of ids. Tested by {@code TokensFormatTest}.
 *
 * @param dtype the type that the option names
 */
record TokenIndexer(Optional<TokenType> dtype, TokenCut cut) implements ShardIndexer<TokenIndex> {
    private static final ConcurrentMap<String, SharedIndexes<TokenIndex>> SHARED = new ConcurrentHashMap<>();

    /** The number of bytes that are searched at a time, a multiple of the bytes of each type. */
    private static final int PIECE = 1 << 20;

    @Override
    public String kind() {
        return "tokens-" + dtype.map(TokenType::word).orElse("stated") + "-"
                + cut.kind().name().toLowerCase(Locale.ROOT) + "-" + cut.value();
    }

    @Override
    public SharedIndexes<TokenIndex> shared() {
        return SHARED.computeIfAbsent(kind(), kind -> new SharedIndexes<>());
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public TokenIndex scan(ScanWindow file) throws IOException {
        TokenArray array = TokenArray.find(file, dtype);
        if (cut.kind() == TokenCut.Kind.LENGTH) {
            if (array.tokens() / cut.value() >= Integer.MAX_VALUE) {
                throw new DatasetException(file.name() + ": expected up to 2^31 - 1 pieces in a file, found more; set a"
                        + " larger length");
            }
            return TokenIndex.even(array, cut.value());
        }
        DeltaLengths.Builder documents = new DeltaLengths.Builder();
        boolean end = cut.kind() == TokenCut.Kind.END;
        int width = array.type().bytes();
        long from = 0;
        for (long token = 0; token < array.tokens(); ) {
            int count = (int) Math.min(PIECE / width, array.tokens() - token);
            byte[] piece = file.copy(array.offset() + token * width, count * width, "ids");
            for (int i = 0; i < count; i++) {
                if (array.type().at(piece, i * width) == cut.value()) {
                    long bound = token + i + (end ? 1 : 0);
                    if (bound > from) {
                        documents.add(bound - from);
                        from = bound;
                    }
                }
            }
            token += count;
        }
        if (array.tokens() > from) {
            documents.add(array.tokens() - from);
        }
        return new TokenIndex(array, 0, documents.build());
    }

    @Override
    public void write(TokenIndex index, DataOutputStream out) throws IOException {
        index.write(out);
    }

    @Override
    public TokenIndex read(DataInputStream in) throws IOException {
        return TokenIndex.read(in);
    }
}
