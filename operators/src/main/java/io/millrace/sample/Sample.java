package io.millrace.sample;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One training example on its way: its place in the run, its label and its named fields.
 *
 * <p>A mutable carrier for the per-sample path: stages change it in place and pass it on, and keep no reference to it
 * afterwards. Owned by one thread at a time.
 */
public final class Sample {
    /** The name of the field that image transforms work on. */
    public static final String IMAGE = "image";

    private final long index;
    private final String key;
    private final long label;
    private final List<String> names = new ArrayList<>(1);
    private final List<Field> fields = new ArrayList<>(1);
    private long position = -1;
    private int epoch;
    private Split split = Split.TRAIN;
    private @Nullable BadSample badSample;

    /**
     * A sample as a dataset reads it, not yet placed in a run.
     *
     * @param index its number in the dataset, from 0
     * @param key what a person calls it: the file's path, or the file and the number within it
     * @param label the class number, or the target value, as the dataset states it
     */
    public Sample(long index, String key, long label) {
        this.index = index;
        this.key = key;
        this.label = label;
    }

    /** Gives the sample its place in the run; returns itself. */
    public Sample placeAt(long position, int epoch, Split split) {
        this.position = position;
        this.epoch = epoch;
        this.split = split;
        return this;
    }

    public long index() {
        return index;
    }

    public String key() {
        return key;
    }

    public long label() {
        return label;
    }

    /** The place in the run, as {@link io.millrace.order.BatchPlan} counts; -1 before {@link #placeAt}. */
    public long position() {
        return position;
    }

    public int epoch() {
        return epoch;
    }

    public Split split() {
        return split;
    }

    /** Sets a field, replacing the one of that name; returns itself. */
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

    /** The names of the fields in the order in which they were first set; a view. */
    public List<String> fieldNames() {
        return names;
    }

    /**
     * The field of that name.
     *
     * @throws IllegalStateException when there is none
     */
    public Field field(String name) {
        int at = names.indexOf(name);
        if (at < 0) {
            throw new IllegalStateException("sample " + key + " has no field '" + name + "', only " + names);
        }
        return fields.get(at);
    }

    /** The field named {@link #IMAGE}. */
    public Field image() {
        return field(IMAGE);
    }

    /** Drops the fields and marks the sample as bad: later stages pass it on untouched. */
    public void quarantine(BadSample why) {
        names.clear();
        fields.clear();
        badSample = why;
    }

    /** Why the sample is bad, or null while it is good. */
    public @Nullable BadSample badSample() {
        return badSample;
    }

    @Override
    public String toString() {
        return "Sample[" + key + " index=" + index + " label=" + label + " position=" + position + " " + names + fields
                + (badSample == null ? "" : " " + badSample) + "]";
    }
}
