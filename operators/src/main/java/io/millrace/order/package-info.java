/**
 * Order and randomness as pure functions of (seed, epoch, sample): what makes a run the same at any parallelism.
 *
 * <p>Values of the JDK alone. Everything here is immutable and safe from any thread, but for
 * {@link io.millrace.order.SampleRandom}, which belongs to one thread.
 */
@NullMarked
package io.millrace.order;

import org.jspecify.annotations.NullMarked;
