/**
 * A timeline of a job: who did what when, in all its processes.
 *
 * <p>A {@link io.millrace.trace.Recording} travels with the job. In each process its tasks join one {@link
 * io.millrace.trace.Trace}; each thread fills a {@link io.millrace.trace.Track} of it; when the last task leaves, the process
 * writes its part into the run's folder. The client brings the parts together ({@link io.millrace.trace.TraceFolder}). All
 * times are since the recording's beginning by the wall clock, which is what the clocks of several machines share.
 */
@NullMarked
package io.millrace.trace;

import org.jspecify.annotations.NullMarked;
