package io.millrace.dataset.packed;

import io.millrace.dataset.DatasetException;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The numbers of tokens of a dataset's documents, as Flink brings them to the tasks: the file that has them.
 *
 * <p>Tested by {@code PackedRunTest}.
 *
 * @param dataset the name of the dataset in messages
 * @param file the path of the file, which every machine of the job can read
 * @param key the key of the file, in hexadecimal digits
 * @param documents the number of documents
 */
public record TokenCounts(String dataset, String file, String key, long documents)
        implements Opened.Spec<DocumentLengths> {
    /**
     * Opens the file.
     *
     * @throws DatasetException when the file is not on this machine
     * @throws IOException when it is damaged
     */
    @Override
    public LengthsFile open() throws IOException {
        return open(LengthsFile::open);
    }

    /** Opens the file, as {@link #open} does, also while the documents are being counted. */
    public LengthsFile openGrowing() throws IOException {
        return open(LengthsFile::openGrowing);
    }

    private interface Opening {
        LengthsFile open(Path file, byte[] key, long documents) throws IOException;
    }

    private LengthsFile open(Opening opening) throws IOException {
        try {
            return opening.open(Path.of(file), HexFormat.of().parseHex(key), documents);
        } catch (NoSuchFileException e) {
            throw new DatasetException(
                    "the numbers of tokens of " + dataset + " are not on this machine: expected the file " + file
                            + ", which was made when the run was planned. Set pack_sequences.lengths, or order.bucket.lengths, to a"
                            + " folder that all machines of the job share",
                    e);
        }
    }
}
