/**
 * The step from a checked pipeline file to a Flink job.
 *
 * <p>Read {@link io.millrace.pipeline.Pipeline} first: it is the only class that builds a Flink graph. Before that,
 * {@link io.millrace.pipeline.TransformPlacement} decides which transforms run on the data servers and which on the
 * device, and {@link io.millrace.pipeline.RunPlanner} inspects the datasets. {@link io.millrace.pipeline.Sinks} makes
 * the specification of the training operator. {@link io.millrace.pipeline.EmbeddedFlink} and {@link
 * io.millrace.pipeline.RemoteFlink} are the two clusters that a job can run on. Both provide {@link
 * io.millrace.pipeline.FlinkJobs}.
 *
 * <p>The package neither watches nor reports a job: that is the work of {@code rest}, {@code run} and {@code report}.
 *
 * <p>The package does not promise that a job with a valid graph can start. The cluster may have too few slots, see
 * {@link io.millrace.pipeline.SlotRequirement}.
 */
@NullMarked
package io.millrace.pipeline;

import org.jspecify.annotations.NullMarked;
