/**
 * What to change in a pipeline so that it becomes faster, with what each change is predicted to give.
 *
 * <p>Each {@link io.millrace.diagnosis.advice.Rule} looks for one thing and says what the change would do to the stages'
 * costs; the prediction is the {@link io.millrace.diagnosis.CapacityModel}'s for these. Pure: rules take values and return
 * values, and are therefore as good as what was measured.
 */
@NullMarked
package io.millrace.diagnosis.advice;

import org.jspecify.annotations.NullMarked;
