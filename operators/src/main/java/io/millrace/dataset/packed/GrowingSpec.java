package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.order.EpochOrder;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.PackRule;
import java.io.IOException;

/**
 * The packs of a dataset whose documents are counted while it is read. They are numbered over all rounds.
 *
 * <p>Tested by {@code GrowingPacksTest}.
 *
 * @param count the count, in windows of the rule
 * @param rule the rule by which the documents are packed
 * @param mostBad the largest number of documents that may be bad, 0 or more
 * @param fill the fill of the packs of some documents
 */
public record GrowingSpec(CountSpec count, PackRule rule, long mostBad, PackFill fill)
        implements PackedSpec, GrowingCount.Kind<GrowingPacks> {
    /** The number of documents that are counted before their packs are asked for, and the smallest number of windows. */
    private static final int AHEAD = 1 << 12;

    private static final int WINDOWS_AHEAD = 4;

    /**
     * Creates the packs of documents that are not counted yet.
     *
     * @param order the order of the documents
     * @param counts the file of the numbers of tokens, of which some documents have one
     * @param counter the way to count the others
     */
    public GrowingSpec(
            EpochOrder order,
            PackRule rule,
            TokenCounts counts,
            DocumentCounter.Spec counter,
            long mostBad,
            PackFill fill) {
        this(
                new CountSpec(order, rule.window(), Math.max(WINDOWS_AHEAD * rule.window(), AHEAD), counts, counter),
                rule,
                mostBad,
                fill);
    }

    @Override
    public TokenCounts counts() {
        return count.counts();
    }

    @Override
    public PackedDataset viewOfSame(Dataset documents) throws IOException {
        Dataset counting = GrowingCount.view(this, documents);
        return new PackedDataset(counts().dataset(), counting, open());
    }

    /** Returns the packs that all views of this process share. */
    @Override
    public GrowingPacks open() throws IOException {
        return GrowingCount.of(this);
    }

    @Override
    public GrowingPacks begin(LengthsFile lengths) {
        return new GrowingPacks(this, lengths);
    }

    @Override
    public Class<GrowingPacks> type() {
        return GrowingPacks.class;
    }
}
