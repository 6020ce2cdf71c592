/**
 * The timeline of a job: the events of all threads in all its processes, with their times.
 *
 * <p>Read {@link io.millrace.trace.Recording} first, the settings that travel with the job. In each process the tasks
 * join one {@link io.millrace.trace.Trace}, and each thread fills a {@link io.millrace.trace.Track} of it. When the
 * last task leaves, the process writes its part into the run's folder. The client merges the parts
 * ({@link io.millrace.trace.TraceFolder}) into one {@link io.millrace.trace.TraceFile}. All times count from the
 * beginning of the recording by the wall clock, because that is what the clocks of several machines have in common.
 *
 * <p>The package may import {@code file} and the JDK, Jackson and SLF4J.
 *
 * <p>Not promised: a complete record. A thread with many events keeps fewer windows, and a process whose part cannot
 * be written logs that and goes on. Times of different machines are as exact as their clocks.
 */
@NullMarked
package io.millrace.trace;

import org.jspecify.annotations.NullMarked;
