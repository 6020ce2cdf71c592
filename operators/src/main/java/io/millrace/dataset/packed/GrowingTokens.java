package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import java.io.IOException;

/**
 * The numbers of tokens of a dataset's documents, which are counted while the dataset is read.
 *
 * <p>Tested by {@code GrowingLengthsTest}.
 *
 * @param count the documents and the way to count them
 */
public record GrowingTokens(CountSpec count)
        implements Opened.Spec<DocumentLengths>, GrowingCount.Kind<GrowingLengths> {
    /** Returns the lengths that all views of this process share. */
    @Override
    public GrowingLengths open() throws IOException {
        return GrowingCount.of(this);
    }

    /** Returns a view of the dataset, which owns it, and counts on a thread of its own. */
    public Dataset view(Dataset documents) throws IOException {
        return GrowingCount.view(this, documents);
    }

    @Override
    public GrowingLengths begin(LengthsFile lengths) {
        return new GrowingLengths(this, lengths);
    }

    @Override
    public Class<GrowingLengths> type() {
        return GrowingLengths.class;
    }
}
