package io.millrace.dataset.tokens;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.Labels;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A dataset of documents that are stored as ids. A sample has one field, {@code tokens}, and no label. Tested by {@code
 * TokensFormatTest} and {@code MegatronFormatTest}.
 */
final class TokenDataset implements Dataset {
    /** The name of the field, which {@code pack_sequences} expects. */
    static final String TOKENS = "tokens";

    private final TokenStore store;

    /** Creates a dataset and takes ownership of {@code store}. */
    TokenDataset(TokenStore store) {
        this.store = store;
    }

    @Override
    public long size() {
        return store.documents();
    }

    @Override
    public Sample read(long index) throws IOException {
        TokenStore.Document document = store.read(index);
        byte[] ids = document.ids();
        Field tokens = Field.of(DType.INT32, new int[] {ids.length / Integer.BYTES}, ids)
                .as(FieldKind.RAGGED);
        return new Sample(index, document.file(), document.number(), Labels.NONE).put(TOKENS, tokens);
    }

    @Override
    public long label(long index) {
        return Labels.NONE;
    }

    @Override
    public StoredLabels labels() {
        return new StoredLabels(StoredLabels.State.NOT_FOUND, List.of(), Optional.empty());
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(store.bytes());
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
