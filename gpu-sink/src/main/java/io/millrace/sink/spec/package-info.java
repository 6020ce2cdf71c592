/**
 * The specification of a run as the operators at its end receive it: the folder, the plan, the trainers, the ring of batches, and
 * the state to start from.
 *
 * <p>Read {@link io.millrace.sink.spec.SinkSpec} first, which holds the others.
 */
@NullMarked
package io.millrace.sink.spec;

import org.jspecify.annotations.NullMarked;
