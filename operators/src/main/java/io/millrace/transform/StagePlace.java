package io.millrace.transform;

import io.millrace.order.SampleRandom;
import io.millrace.sample.DatasetNames;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.Serializable;

/**
 * The place of a transform in a pipeline. Flink serializes it into the tasks.
 *
 * @param stage the name of the stage in metrics and messages
 * @param spec the transform and its options
 * @param split the split to whose samples the transform applies
 * @param source the number of the training dataset to whose samples the transform applies, or {@link #ALL_SOURCES}
 * @param datasets the names of the datasets in messages
 * @param seed the seed of the run
 * @param stageNumber the number that selects the stage's random numbers, see {@link SampleRandom}
 * @param neighbors the transforms that the operators beside this one apply to the same samples
 */
public record StagePlace(
        String stage,
        TransformSpec spec,
        Split split,
        int source,
        DatasetNames datasets,
        long seed,
        int stageNumber,
        Neighbors neighbors)
        implements Serializable {
    /** The number that stands for all training datasets. */
    public static final int ALL_SOURCES = -1;

    /** Creates the place of a transform in a pipeline with one training dataset. */
    public StagePlace(
            String stage,
            TransformSpec spec,
            Split split,
            String dataset,
            long seed,
            int stageNumber,
            Neighbors neighbors) {
        this(stage, spec, split, ALL_SOURCES, DatasetNames.all(dataset), seed, stageNumber, neighbors);
    }

    /** Returns whether the transform applies to a sample unless it is bad. */
    boolean appliesTo(Sample sample) {
        return sample.split() == split && (source == ALL_SOURCES || sample.source() == source);
    }

    /** Creates an instance of the transform outside of a job, without looking ahead to another transform. */
    public PlacedTransform transform() {
        return new PlacedTransform(this, spec.create());
    }

    /** Creates an instance of the transform for a thread of a task, which has this chain. */
    PlacedTransform transform(int slot, int worker, StageChain chain) {
        return new PlacedTransform(this, spec.create(new TransformContext(slot, worker, seed, neighbors, chain)));
    }
}
