/**
 * The diagnosis of a pipeline: the limit of its throughput, and the throughput after the limit is removed.
 *
 * <p>Read {@link io.millrace.diagnosis.CapacityModel} first. It computes the throughput of the whole pipeline from the cost
 * of each stage, and finds the stage that limits it. {@link io.millrace.diagnosis.Measurement} builds the model from two
 * readings of a running job. {@link io.millrace.diagnosis.Predictor} computes the range of the throughput after a change of the
 * model. {@link io.millrace.diagnosis.Verdict} is the result that users see. {@link
 * io.millrace.diagnosis.Trials} runs a pipeline until its speed is steady, and is the only class here that starts Flink.
 *
 * <p>The model, the measurement, the predictions and the verdict are pure: they receive values and return values. An unknown value is null,
 * never 0.
 *
 * <p>The package uses the packages that configure, plan and start pipelines, {@code rest} for readings, and {@code report}
 * for the summary. Its subpackages build on it: {@code ladder} measures with cached samples, {@code advice} proposes
 * changes, {@code auto} chooses slots, and {@link io.millrace.diagnosis.PlantedBottlenecks} tests the diagnosis.
 *
 * <p>The model does not promise exact figures. {@link io.millrace.diagnosis.Confidence} compares it with the measured
 * throughput, and a verdict with low confidence is a hint only.
 */
@NullMarked
package io.millrace.diagnosis;

import org.jspecify.annotations.NullMarked;
