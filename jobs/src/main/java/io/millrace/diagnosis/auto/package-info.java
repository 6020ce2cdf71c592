/**
 * How many slots a pipeline gets whose file leaves that to a measurement.
 *
 * <p>{@link io.millrace.diagnosis.auto.CalibrationPipeline} is what is measured before the run, {@link
 * io.millrace.diagnosis.auto.Demand} what the capacity model makes of it, {@link io.millrace.diagnosis.auto.Choice} what
 * follows. {@link io.millrace.diagnosis.auto.LiveChoice} goes on choosing while the job runs. All of it is pure.
 */
@NullMarked
package io.millrace.diagnosis.auto;

import org.jspecify.annotations.NullMarked;
