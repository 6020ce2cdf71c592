package io.millrace.train.spec;

import io.millrace.sample.Split;
import java.io.Serializable;
import java.util.List;

/**
 * What is done to rows on the device before all else: the ends of the lists of transforms for samples.
 *
 * @param seed of the run's order, which random numbers of samples come from
 * @param train in order, for batches of training
 * @param evaluate likewise for those of evaluation
 */
public record RowStages(long seed, List<RowStage> train, List<RowStage> evaluate) implements Serializable {
    /** Nothing. */
    public static final RowStages NONE = new RowStages(0, List.of(), List.of());

    public RowStages {
        train = List.copyOf(train);
        evaluate = List.copyOf(evaluate);
    }

    /** Those of a split. */
    public List<RowStage> of(Split split) {
        return split == Split.TRAIN ? train : evaluate;
    }
}
