package io.millrace.dataset;

import java.io.IOException;

/** The reading of a file that names a subset of a dataset. It is a service, because datasets know no file formats. */
@FunctionalInterface
public interface SubsetReader {
    /**
     * Returns the indexes of the samples that a file names, each once, in the order of the file.
     *
     * @param file the path or the URI of the file
     * @param place the dataset's name for messages
     * @throws DatasetException when the file does not exist or names other samples than those of the dataset, or one of them twice; the
     *     message is a sentence
     */
    long[] read(String file, String place, Dataset dataset, StorageOptions storage) throws IOException;
}
