package io.millrace.sample;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One training example: its position in the run, its label and its named fields.
 *
 * <p>A sample is mutable. Stages change it in place, pass it on, and keep no reference to it afterwards. One thread
 * owns it at a time.
 *
 * <p>Tested by {@code SampleSerializerTest}.
 */
public final class Sample implements Samples {
    /** The name of the field that image transforms change. */
    public static final String IMAGE = "image";

    private long index;
    private final String name;
    private final long row;
    private long label;
    private final List<String> names = new ArrayList<>(1);
    private final List<Field> fields = new ArrayList<>(1);
    private long position = -1;
    private int epoch;
    private Split split = Split.TRAIN;
    private int source;
    private List<Part> parts = List.of();
    private @Nullable BadSample badSample;

    /**
     * Creates a sample that a dataset has read and that has no position in a run yet.
     *
     * @param index the sample's index in its dataset, from 0
     * @param key the sample's name in messages: the file's path, or the file and the sample's number within it
     * @param label the class number or the target value, as the dataset stores it
     */
    public Sample(long index, String key, long label) {
        this(index, key, -1, label);
    }

    /**
     * Creates such a sample whose name in messages, the file and the number of a row within it, is made when it is needed.
     *
     * @param row the number of the row, from 0; -1 when the name is that of the sample
     */
    public Sample(long index, String name, long row, long label) {
        this.index = index;
        this.name = name;
        this.row = row;
        this.label = label;
    }

    /**
     * Sets the sample's position in the run; returns this sample.
     *
     * @param epoch the number of the sample's random numbers: the epoch of the run, or where it trains on several datasets, that of the
     *     dataset
     */
    public Sample placeAt(long position, int epoch, Split split) {
        this.position = position;
        this.epoch = epoch;
        this.split = split;
        return this;
    }

    /**
     * Sets the dataset of the sample, which has its index in that dataset until now; returns this sample.
     *
     * @param source the number of the dataset among those that the run trains on
     * @param first the index among all datasets of the dataset's first sample
     */
    public Sample ofSource(int source, long first) {
        this.source = source;
        this.index += first;
        return this;
    }

    @Override
    public int count() {
        return 1;
    }

    /** Returns the index in the sample's dataset; where the run trains on several datasets, the index among all of them. */
    public long index() {
        return index;
    }

    /** Returns the number of the sample's dataset among those that the run trains on; 0 for the only one. */
    public int source() {
        return source;
    }

    public String key() {
        return row < 0 ? name : name + "#" + row;
    }

    public long label() {
        return label;
    }

    /** Replaces the label; returns this sample. */
    public Sample relabel(long label) {
        this.label = label;
        return this;
    }

    /** Returns the position in the run, as {@link io.millrace.order.BatchPlan} counts; -1 before {@link #placeAt}. */
    public long position() {
        return position;
    }

    public int epoch() {
        return epoch;
    }

    public Split split() {
        return split;
    }

    /** Sets a field and replaces a field of the same name; returns this sample. */
    public Sample put(String name, Field field) {
        int at = names.indexOf(name);
        if (at >= 0) {
            fields.set(at, field);
        } else {
            names.add(name);
            fields.add(field);
        }
        return this;
    }

    /** Returns the names of the fields in the order in which they were first set. The list is a view. */
    public List<String> fieldNames() {
        return names;
    }

    /**
     * Returns the field of the given name.
     *
     * @throws IllegalStateException when the sample has no such field
     */
    public Field field(String name) {
        int at = names.indexOf(name);
        if (at < 0) {
            throw new IllegalStateException("sample " + key() + " has no field '" + name + "', only " + names);
        }
        return fields.get(at);
    }

    /** Returns the field named {@link #IMAGE}. */
    public Field image() {
        return field(IMAGE);
    }

    /**
     * Copies the values of all fields that the transforms which set them may overwrite for their next samples, so that the sample can
     * wait while those transforms work.
     */
    public void keep() {
        fields.replaceAll(Field::kept);
        parts.forEach(part -> part.sample().keep());
    }

    /** Removes the field of the given name, if the sample has it. */
    public void remove(String name) {
        int at = names.indexOf(name);
        if (at >= 0) {
            names.remove(at);
            fields.remove(at);
        }
    }

    /** Removes all fields. */
    public void removeFields() {
        names.clear();
        fields.clear();
    }

    /**
     * Sets the documents of which the sample is a pack; returns this sample. Until a stage joins them, the sample has no fields of its own,
     * and transforms change each document.
     */
    public Sample ofParts(List<Part> documents) {
        parts = documents;
        return this;
    }

    /** Returns the documents of a pack that are not joined yet; empty for all other samples. */
    public List<Part> parts() {
        return parts;
    }

    /** Returns the bytes of field data, with those of the parts. */
    public long bytes() {
        long bytes = 0;
        for (int i = 0; i < fields.size(); i++) {
            bytes += fields.get(i).bytes();
        }
        for (Part part : parts) {
            bytes += part.sample().bytes();
        }
        return bytes;
    }

    /** Removes the fields and the parts, and marks the sample as bad. Later stages pass a bad sample on unchanged. */
    public void quarantine(BadSample why) {
        removeFields();
        parts = List.of();
        badSample = why;
    }

    /** Returns the reason why the sample is bad, or null while it is good. */
    public @Nullable BadSample badSample() {
        return badSample;
    }

    @Override
    public String toString() {
        return "Sample[" + key() + " index=" + index + " label=" + label + " position=" + position + " " + names
                + fields + (badSample == null ? "" : " " + badSample) + "]";
    }
}
