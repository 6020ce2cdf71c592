/**
 * A test of the diagnosis: pipelines with a planted culprit, which the diagnosis must name.
 *
 * <p>Read {@link io.millrace.diagnosis.planted.Plants} first; it lists the pipelines. {@link
 * io.millrace.diagnosis.planted.SelfTest} runs each pipeline twice, with its culprit and after the fix, and compares the
 * second speed with the prediction.
 *
 * <p>A planted culprit sleeps or throttles when it can, and computes only when computing is the point. Therefore other work on
 * the machine changes the results little.
 *
 * <p>The package is a jar of its own, which only {@code diagnose --selftest} has on its class path. It registers the file system
 * {@code throttled://} with Flink, which serves only this test.
 *
 * <p>The test does not promise the same speeds on every machine, and the measured prediction errors vary from run to run.
 */
@NullMarked
package io.millrace.diagnosis.planted;

import org.jspecify.annotations.NullMarked;
