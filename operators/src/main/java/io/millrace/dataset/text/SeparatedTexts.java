package io.millrace.dataset.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.PieceIndex;
import io.millrace.dataset.shard.PieceIndexer;
import io.millrace.dataset.shard.PieceIndexer.Content;
import io.millrace.dataset.shard.Separator;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.shard.Shards.Located;
import io.millrace.file.HeapLimit;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * A dataset of the pieces of files between separators. Tested by {@code TextFormatTest}.
 *
 * @param shards the files, which the dataset owns
 * @param indexer the search that made their indexes
 */
record SeparatedTexts(Shards<PieceIndex> shards, PieceIndexer indexer, TextErrors errors) implements Dataset {
    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        Located<PieceIndex> place = shards.locate(index);
        PieceIndex pieces = place.index();
        boolean lines = indexer.separator().text().equals(Separator.LINE.text());
        String name = shards.name(place.shard()) + (lines ? ":" : "#") + pieces.number(place.sample());
        long from = pieces.offset(place.sample());
        long count = pieces.offset(place.sample() + 1) - from;
        String refusal = HeapLimit.refusalOfArray("a document", count);
        if (!refusal.isEmpty()) {
            throw new BadSampleException(name, from, refusal);
        }
        byte[] bytes;
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            bytes = lease.file().read(from, (int) count);
        }
        Content content = indexer.content(bytes);
        byte[] text = Arrays.copyOfRange(bytes, content.from(), content.to());
        return new Sample(index, shards.shortName(place.shard()), place.sample(), Labels.NONE)
                .put(Documents.FIELD, Documents.field(text, name, from + content.from(), errors));
    }

    @Override
    public long label(long index) {
        return Labels.NONE;
    }

    @Override
    public StoredLabels labels() {
        return Documents.NO_LABELS;
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(shards.contentBytes());
    }

    @Override
    public void close() throws IOException {
        shards.close();
    }
}
