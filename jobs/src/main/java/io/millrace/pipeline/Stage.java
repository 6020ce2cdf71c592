package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.sample.Split;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StagePlace;
import io.millrace.transform.TransformSpec;

/**
 * A transform as a stage of the graph.
 *
 * @param name the name in the web UI, the metrics and the summary
 * @param split the dataset whose samples it transforms
 * @param source the number of the training dataset whose samples it transforms, or {@link StagePlace#ALL_SOURCES}
 * @param number the number of its random stream
 * @param parallelism the number of subtasks
 * @param newChain whether the stage starts a new task instead of being chained to the previous stage
 * @param neighbors the transforms of the same samples beside it
 */
record Stage(
        String name,
        TransformSpec transform,
        Split split,
        int source,
        int number,
        int parallelism,
        boolean newChain,
        Neighbors neighbors) {
    /** Returns the place of the stage in a pipeline. */
    StagePlace place(PipelineConfig config) {
        return new StagePlace(
                name,
                config.data().python().withModules(transform),
                split,
                source,
                Pipeline.datasets(config),
                config.data().order().seed(),
                number,
                neighbors);
    }
}
