/**
 * The timeline of a job: the events of all threads in all its processes, with their times.
 *
 * <p>Read {@link io.millrace.trace.Recording} first, the settings that travel with the job. In each process the tasks
 * join one {@link io.millrace.trace.Trace}, and each thread fills a {@link io.millrace.trace.Track} of it. When the
 * last task leaves, the process writes its part into the run's folder. The client merges the parts
 * ({@link io.millrace.trace.TraceFolder}) into one {@link io.millrace.trace.TraceFile}. All times count from the
 * beginning of the recording by the wall clock, because the machines have no other clock in common.
 *
 * <p>The package does not promise a complete record. A thread with many events keeps fewer windows. A process that
 * cannot write its part logs a warning and continues. Times of different machines are as exact as their clocks.
 */
@NullMarked
package io.millrace.trace;

import org.jspecify.annotations.NullMarked;
