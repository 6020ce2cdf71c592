package io.millrace.dataset;

import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A collection of samples that can be read by index. Several threads may call {@link #read} and {@link #label} at
 * once, and any thread may call the other methods.
 *
 * <p>Tested by {@code GuardedDatasetTest} and {@code PartDatasetTest}.
 */
public interface Dataset extends Closeable {
    /** Returns the number of samples, 0 to 2^40. */
    long size();

    /**
     * Reads one sample: its key, label and raw fields. Images stay encoded where the format encodes them.
     *
     * @param index 0 to {@code size() - 1}
     * @throws BadSampleException when this sample is bad, although others may be good; the bad sample will be
     *     quarantined
     * @throws IOException when reading itself fails
     */
    Sample read(long index) throws IOException;

    /**
     * Begins the reading of several samples of a run, whose order is known in advance. Formats whose samples contain random
     * changes, or that read several samples faster together, override this method.
     *
     * @param random the random numbers of the reading stage, for the use of the returned reading
     * @param epoch the epoch in which the samples are read
     * @param count the number of samples
     * @param indexes the index of each sample, by its number from 0 to {@code count - 1}
     */
    default Reading reading(SampleRandom random, int epoch, int count, IntToLongFunction indexes) {
        return i -> read(indexes.applyAsLong(i));
    }

    /** The reading of several samples. One thread uses it, and nothing has to be closed. */
    @FunctionalInterface
    interface Reading {
        /**
         * Waits for some tenths of a second until a sample can be read, where that takes more than reading it.
         *
         * @param i the sample's number; at least that of the call before
         * @return false when {@link #read} would still wait
         */
        default boolean await(int i) throws IOException {
            return true;
        }

        /**
         * Reads a sample as {@link Dataset#read} does.
         *
         * @param i the sample's number; larger than in the call before
         */
        Sample read(int i) throws IOException;

        /** Returns the CPU time that other processes and other threads have spent on the samples so far. */
        default long remoteCpuNanos() {
            return 0;
        }

        /** Returns the time for which other processes were ready to work on the samples so far, and had no core. */
        default long remoteCoreWaitNanos() {
            return 0;
        }

        /** Returns the time for which the reading has waited so far for something that other readings of the dataset used. */
        default long queuedNanos() {
            return 0;
        }

        /**
         * Returns how many of the next samples are in memory already because they arrived with the latest one, whose read took the time for
         * all of them.
         */
        default int obtained() {
            return 0;
        }
    }

    /**
     * Tells the number of readers, one in each Flink slot, that share the dataset. A format with processes of its own has as
     * many of them as its readers need.
     */
    default void readers(int count) throws IOException {}

    /**
     * Returns the label of one sample. Formats that can find a label without reading the sample's fields override this
     * method, so that a caller that needs all labels of a dataset does not read all its images.
     *
     * @param index 0 to {@code size() - 1}
     * @throws BadSampleException when the sample is bad and its label cannot be read
     * @throws IOException when reading itself fails
     */
    default long label(long index) throws IOException {
        return read(index).label();
    }

    /**
     * Returns the numbers of the classes that one sample shows, each once: its label, or those of its objects where samples have no single
     * label.
     *
     * @param index 0 to {@code size() - 1}
     * @throws BadSampleException when the sample is bad and its label cannot be read
     * @throws IOException when reading itself fails
     */
    default long[] shownClasses(long index) throws IOException {
        return new long[] {label(index)};
    }

    /**
     * Returns the name that the format stores for a sample, such as the path of its file. It is the same on each machine, and is found
     * without reading the sample.
     *
     * @param index 0 to {@code size() - 1}
     * @return null where the format stores no names, so that samples are known by their indexes
     * @throws BadSampleException when the sample is bad and its name cannot be read
     */
    default @Nullable String nameOf(long index) throws IOException {
        return null;
    }

    /**
     * Returns the index of a sample in the whole dataset, of which this one may be a part. It is the {@link Sample#index} of the sample.
     *
     * @param index 0 to {@code size() - 1}
     */
    default long indexInWhole(long index) {
        return index;
    }

    /**
     * Returns a view of this dataset for reading one field. It reads no other field where the format can read the field alone, and
     * otherwise reads whole samples. The view shares the files of this dataset and is not closed.
     *
     * @param field the name of a field; the samples of the view lack it where those of this dataset do
     */
    default Dataset only(String field) {
        return this;
    }

    /**
     * Returns the total size of all stored samples in bytes. A file that is compressed as a whole counts with its
     * uncompressed size. The result is empty when the size is not known without reading the samples.
     */
    default OptionalLong storedBytes() throws IOException {
        return OptionalLong.empty();
    }

    /** Returns the names of the classes in the order of their labels; empty where the format has no names. */
    List<String> classes();

    /**
     * Returns the field with the class of each object, whose names are {@link #classes}, where samples have objects instead of one label;
     * null where the format has no such field, or the sample lacks it.
     */
    default @Nullable String classesOfObjects() {
        return null;
    }

    /** Returns whether the samples have labels, and otherwise what could be their labels. */
    default StoredLabels labels() throws IOException {
        return StoredLabels.PRESENT;
    }

    /**
     * Returns sentences for the user on the content that the dataset leaves out and that is no bad sample, such as "12 files
     * were not read: notes.txt, README, x.heic". The list is empty when there is nothing to say.
     */
    default List<String> remarks() {
        return List.of();
    }

    /**
     * Returns whether a read needs no I/O at present, because the data is in memory or in a mapped file in the page cache.
     * Reading ahead on other threads would then bring no gain. The answer may change: a file may come into the page cache, and leave
     * it.
     */
    default boolean resident() {
        return false;
    }

    /** Returns whether each sample is a pack, with its documents as {@linkplain Sample#parts parts}. */
    default boolean packed() {
        return false;
    }

    /**
     * Returns the rows of this dataset if it stores every sample in memory or in a mapped file, as the same fields with the same
     * types and shapes, by the {@linkplain #indexInWhole indexes in the whole dataset}; null otherwise. Only labels can then make a
     * sample bad.
     */
    default @Nullable StoredRows rows() {
        return null;
    }

    /**
     * Returns a view of this dataset with only those fields whose kind, element type, number of extents or inner extents depend on the
     * values: numbers in JSON, nested lists, arrays in members of archives. A run settles the types of these fields from its first
     * samples ({@code dataset.types}). The view reads nothing but these fields where the format can read them alone. It shares the
     * files of this dataset and is not closed.
     *
     * @return empty when the format declares the types of all fields, so that nothing has to be inspected
     */
    default Optional<Dataset> undeclared() throws IOException {
        return Optional.empty();
    }

    /**
     * Returns whether nothing but the samples themselves names their fields, and states whether they have labels. A run then settles
     * this from the samples of {@link #undeclared}, whose labels are fields too ({@code dataset.types}).
     */
    default boolean namesUndeclared() {
        return false;
    }

    /** Returns the hashes of some samples where code of the user makes them, so that all processes of a run can be compared. */
    default Fingerprint fingerprint() throws IOException {
        return Fingerprint.NONE;
    }

    /** Returns what the readings of the dataset wait for, as a clause for the user; null when they do not wait. Any thread may call it. */
    default @Nullable String awaits() {
        return null;
    }

    /**
     * Returns the profile of the user's code that the dataset calls, for all of its readers together; null when it calls none.
     */
    default @Nullable CodeProfile code() {
        return null;
    }
}
