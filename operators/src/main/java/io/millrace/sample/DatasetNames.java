package io.millrace.sample;

import java.io.Serializable;
import java.util.List;

/**
 * The names of a run's datasets in messages, which are their paths.
 *
 * @param train those of the training datasets, by their numbers
 * @param evaluation that of the evaluation dataset; empty when the run has none
 */
public record DatasetNames(List<String> train, String evaluation) implements Serializable {
    /** No names, for code outside of a run. */
    public static final DatasetNames NONE = new DatasetNames(List.of(), "");

    public DatasetNames {
        train = List.copyOf(train);
    }

    /** Returns the same name for all samples. */
    public static DatasetNames all(String name) {
        return new DatasetNames(List.of(name), name);
    }

    /** Returns the name of a sample's dataset; empty when it has none. */
    public String of(Sample sample) {
        if (sample.split() == Split.EVALUATE) {
            return evaluation;
        }
        return sample.source() < train.size() ? train.get(sample.source()) : "";
    }
}
