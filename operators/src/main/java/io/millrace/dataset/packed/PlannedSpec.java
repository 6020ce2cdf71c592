package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.sequence.EndlessPacks;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.Packs;
import io.millrace.sequence.PlannedPacks;
import io.millrace.sequence.SequencePlan;
import java.io.IOException;

/**
 * The packs of a dataset whose documents are all counted.
 *
 * <p>Tested by {@code PackedRunTest}.
 *
 * @param plan the plan of the packs
 * @param counts the numbers of tokens for which the plan was made
 * @param fill the fill of the packs
 * @param endless whether the packs are numbered over all rounds
 */
public record PlannedSpec(SequencePlan plan, TokenCounts counts, PackFill fill, boolean endless) implements PackedSpec {
    @Override
    public PackedDataset viewOfSame(Dataset documents) throws IOException {
        return new PackedDataset(counts.dataset(), documents, open());
    }

    @Override
    public Packs open() throws IOException {
        PlannedPacks packs = new PlannedPacks(plan, counts.open());
        return endless ? new EndlessPacks(packs) : packs;
    }
}
