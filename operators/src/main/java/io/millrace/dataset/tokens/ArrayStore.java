package io.millrace.dataset.tokens;

import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.shard.Shards.Located;
import java.io.IOException;

/**
 * The documents of arrays of ids, one array after another. Tested by {@code TokensFormatTest}.
 *
 * @param shards the arrays, which the store owns
 */
record ArrayStore(Shards<TokenIndex> shards) implements TokenStore {
    @Override
    public long documents() {
        return shards.size();
    }

    @Override
    public long bytes() {
        return shards.contentBytes();
    }

    @Override
    public Document read(long index) throws IOException {
        Located<TokenIndex> place = shards.locate(index);
        TokenIndex documents = place.index();
        TokenArray array = documents.array();
        long from = documents.first(place.sample());
        long tokens = documents.first(place.sample() + 1) - from;
        long offset = array.offset() + from * array.type().bytes();
        String name = shards.name(place.shard()) + "#" + place.sample();
        byte[] ids = TokenReads.array(name, offset, tokens);
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            TokenReads.read(lease.file(), name, array.type(), offset, (int) tokens, ids, 0);
        }
        return new Document(shards.shortName(place.shard()), place.sample(), ids);
    }

    @Override
    public void close() throws IOException {
        shards.close();
    }
}
