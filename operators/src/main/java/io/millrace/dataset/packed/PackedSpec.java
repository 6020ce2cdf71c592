package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.sample.Counted;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.Packs;
import java.io.IOException;

/**
 * The packs of a dataset of documents, as Flink brings them to the tasks.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
public sealed interface PackedSpec extends Opened.Spec<Packs> permits PlannedSpec, GrowingSpec {
    /** Returns where the numbers of tokens of the documents are. */
    TokenCounts counts();

    /** Returns the fill of the packs. */
    PackFill fill();

    /**
     * Returns the view of a dataset as packs, which owns the dataset.
     *
     * @throws DatasetException when the dataset has another number of documents, or the lengths are not on this machine
     */
    default PackedDataset view(Dataset documents) throws IOException {
        TokenCounts counts = counts();
        if (documents.size() != counts.documents()) {
            throw new DatasetException("dataset " + counts.dataset() + " has "
                    + Counted.of(documents.size(), "document") + ", but had " + counts.documents()
                    + " when their tokens were counted: it has changed, or this machine has another copy of it");
        }
        return viewOfSame(documents);
    }

    /** Returns the view of a dataset that has the right number of documents. */
    PackedDataset viewOfSame(Dataset documents) throws IOException;
}
