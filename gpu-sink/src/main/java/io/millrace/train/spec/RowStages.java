package io.millrace.train.spec;

import io.millrace.sample.Split;
import java.io.Serializable;
import java.util.List;

/**
 * The transforms of samples that run on the device: the ends of the lists of transforms for training and for
 * evaluation. They run before all other device transforms.
 *
 * @param seed the seed of the run's order, from which random numbers of samples derive
 * @param train the transforms of training batches, in order
 * @param evaluate the transforms of evaluation batches, in order
 */
public record RowStages(long seed, List<RowStage> train, List<RowStage> evaluate) implements Serializable {
    /** No transforms. */
    public static final RowStages NONE = new RowStages(0, List.of(), List.of());

    public RowStages {
        train = List.copyOf(train);
        evaluate = List.copyOf(evaluate);
    }

    /** Returns the transforms of a split. */
    public List<RowStage> of(Split split) {
        return split == Split.TRAIN ? train : evaluate;
    }
}
