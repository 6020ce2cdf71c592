/**
 * What limits a pipeline, and what it would give to fix it.
 *
 * <p>{@link io.millrace.diagnosis.CapacityModel} is the core: from what each stage costs it says how fast the whole can be,
 * which stage limits it, and how fast it would be without. Pure: it takes values and returns values. {@link
 * io.millrace.diagnosis.Measurement} makes its input of two readings of a job, {@link io.millrace.diagnosis.Verdict} is what
 * a user is told. Unknown is null, and never a zero.
 */
@NullMarked
package io.millrace.diagnosis;

import org.jspecify.annotations.NullMarked;
