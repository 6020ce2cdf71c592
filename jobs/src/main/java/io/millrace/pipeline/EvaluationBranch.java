package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.sink.spec.SinkSpec;

/**
 * The evaluation of a served run: a second pipeline in the job of the training, which shares its slots and ends with it. The names
 * of its stages begin with {@code evaluation: }, by which readers of the training's figures leave them out.
 *
 * @param config the pipeline of the evaluation
 * @param plan the plan of the evaluation, whose epochs have no end
 * @param sink the delivery of the evaluation
 */
public record EvaluationBranch(PipelineConfig config, RunPlan plan, SinkSpec sink) {
    /** The beginning of the names of an evaluation's stages. */
    public static final String PREFIX = "evaluation: ";
}
