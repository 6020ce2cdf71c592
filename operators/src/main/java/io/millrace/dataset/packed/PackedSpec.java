package io.millrace.dataset.packed;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.PackFill;
import io.millrace.sequence.Packs;
import io.millrace.sequence.SequencePlan;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The packs of a dataset of documents, as Flink brings them to the tasks: the plan, and the file with the lengths of the documents.
 *
 * <p>Tested by {@code PackedRunTest}.
 *
 * @param lengths the path of the file, which every machine of the job can read
 * @param key the key of the file, in hexadecimal digits
 * @param fill the fill of the packs
 */
public record PackedSpec(SequencePlan plan, String lengths, String key, PackFill fill) implements Serializable {
    /**
     * Returns the view of a dataset as packs, which owns the dataset.
     *
     * @param place the name of the dataset in messages
     * @throws DatasetException when the dataset has another number of documents, or the lengths are not on this machine
     */
    public PackedDataset view(String place, Dataset documents) throws IOException {
        long counted = plan.documents().size();
        if (documents.size() != counted) {
            throw new DatasetException(
                    "dataset " + place + " has " + documents.size() + " documents, but had " + counted
                            + " when their tokens were counted: it has changed, or this machine has another copy of it");
        }
        try {
            LengthsFile file = LengthsFile.open(Path.of(lengths), HexFormat.of().parseHex(key), counted);
            return new PackedDataset(place, documents, new Packs(plan, file));
        } catch (NoSuchFileException e) {
            throw new DatasetException(
                    "the numbers of tokens of " + place + " are not on this machine: expected the file " + lengths
                            + ", which was made when the run was planned. Set pack_sequences.lengths to a folder that all machines of"
                            + " the job share",
                    e);
        }
    }
}
