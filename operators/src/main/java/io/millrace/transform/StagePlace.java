package io.millrace.transform;

import io.millrace.order.SampleRandom;
import io.millrace.sample.Split;
import java.io.Serializable;

/**
 * The place of a transform in a pipeline. Flink serializes it into the tasks.
 *
 * @param stage the name of the stage in metrics and messages
 * @param spec the transform and its options
 * @param split the split to whose samples the transform applies
 * @param dataset the name of the dataset in messages
 * @param seed the seed of the run
 * @param stageNumber the number that selects the stage's random numbers, see {@link SampleRandom}
 * @param neighbors the transforms that the operators beside this one apply to the same samples
 */
public record StagePlace(
        String stage, TransformSpec spec, Split split, String dataset, long seed, int stageNumber, Neighbors neighbors)
        implements Serializable {
    /** Creates an instance of the transform for a thread of a task, which has this chain. */
    PlacedTransform transform(int slot, int worker, StageChain chain) {
        return new PlacedTransform(
                stage, spec, dataset, seed, stageNumber, new TransformContext(slot, worker, seed, neighbors, chain));
    }
}
