package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.order.EpochOrder;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.PackRule;
import java.io.IOException;

/**
 * The packs of a dataset whose documents are counted while it is read. They are numbered over all rounds.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 *
 * @param order the order of the documents
 * @param rule the rule by which they are packed
 * @param counts the file of the numbers of tokens, of which some documents have one
 * @param counter the way to count the others
 * @param mostBad the largest number of documents that may be bad, 0 or more
 * @param badDocuments the path of the list of bad documents, for messages
 * @param fill the fill of the packs of some documents
 */
public record GrowingSpec(
        EpochOrder order,
        PackRule rule,
        TokenCounts counts,
        DocumentCounter.Spec counter,
        long mostBad,
        String badDocuments,
        PackFill fill)
        implements PackedSpec {
    @Override
    public PackedDataset viewOfSame(Dataset documents) throws IOException {
        return GrowingPacks.view(this, documents);
    }

    /** Returns the packs that all views of this process share. */
    @Override
    public GrowingPacks open() throws IOException {
        return GrowingPacks.of(this);
    }
}
