/**
 * The choice of slots for a pipeline whose file sets {@code parallelism: auto} or {@code stages: auto}.
 *
 * <p>Read {@link io.millrace.diagnosis.auto.SlotChoice} first. Before the run, a {@link
 * io.millrace.diagnosis.auto.CalibrationPipeline} is measured. From its costs, {@link io.millrace.diagnosis.auto.Demand}
 * computes the slots that each stage needs, and {@link io.millrace.diagnosis.auto.SlotChoice} selects the numbers.
 * While the job runs, {@link io.millrace.diagnosis.auto.LiveChoice} corrects the numbers. {@code io.millrace.run}
 * executes the decisions.
 *
 * <p>Everything here is pure or, like {@code LiveChoice}, has state but no side effects. It uses {@code config}, {@code
 * pipeline} and {@code rest}. It starts no job.
 *
 * <p>The chosen numbers are not promised to be the best ones. They contain a reserve of a tenth, and a running job changes
 * only when the gain is worth the pause.
 */
@NullMarked
package io.millrace.diagnosis.auto;

import org.jspecify.annotations.NullMarked;
