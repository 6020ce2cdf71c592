package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.Packs;
import io.millrace.sequence.SequencePlan;
import java.io.IOException;

/**
 * The packs of a dataset of documents, as Flink brings them to the tasks.
 *
 * <p>Tested by {@code PackedRunTest}.
 *
 * @param plan the plan of the packs
 * @param counts the numbers of tokens for which the plan was made
 * @param fill the fill of the packs
 */
public record PackedSpec(SequencePlan plan, TokenCounts counts, PackFill fill) implements Opened.Spec<Packs> {
    /**
     * Returns the view of a dataset as packs, which owns the dataset.
     *
     * @throws DatasetException when the dataset has another number of documents, or the lengths are not on this machine
     */
    public PackedDataset view(Dataset documents) throws IOException {
        if (documents.size() != counts.documents()) {
            throw new DatasetException("dataset " + counts.dataset() + " has " + documents.size()
                    + " documents, but had " + counts.documents()
                    + " when their tokens were counted: it has changed, or this machine has another copy of it");
        }
        return new PackedDataset(counts.dataset(), documents, open());
    }

    /** Returns the packs. */
    @Override
    public Packs open() throws IOException {
        return new Packs(plan, counts.open());
    }
}
