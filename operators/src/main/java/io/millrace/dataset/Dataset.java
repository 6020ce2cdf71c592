package io.millrace.dataset;

import io.millrace.sample.Sample;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/**
 * Samples that can be read by index. {@link #read} and {@link #label} are called from several threads at once; the other
 * methods from any.
 */
public interface Dataset extends Closeable {
    /** The number of samples, 0 to 2^40. */
    long size();

    /**
     * Reads one sample: its key, label and raw fields, images still encoded where the format encodes them.
     *
     * @param index 0 to {@code size() - 1}
     * @throws BadSampleException when this sample is bad and others may be good: it will be quarantined
     * @throws IOException when reading as such fails
     */
    Sample read(long index) throws IOException;

    /**
     * The label of one sample. Formats that know it without reading the sample's fields override this: looking at all
     * labels of a dataset must not read all its images.
     *
     * @param index 0 to {@code size() - 1}
     * @throws BadSampleException when the sample is so bad that it shows no label
     * @throws IOException when reading as such fails
     */
    default long label(long index) throws IOException {
        return read(index).label();
    }

    /**
     * The bytes that all samples take where they are stored (uncompressed, where a file is compressed as a whole), empty
     * when that cannot be known without reading them.
     */
    default OptionalLong storedBytes() throws IOException {
        return OptionalLong.empty();
    }

    /** The names of the classes by label, empty where the format has none. */
    List<String> classes();

    /**
     * Whether a read costs no I/O (memory or a mapped file in the page cache), so that reading ahead on other threads
     * would only cost.
     */
    default boolean resident() {
        return false;
    }
}
