/**
 * A client of Flink's REST API: the jobs of a cluster, their tasks, and readings of their metrics.
 *
 * <p>Start with {@link io.millrace.rest.FlinkRest}, which reads the metrics of one job, and {@link
 * io.millrace.rest.ClusterRest}, which lists jobs and TaskManagers and rescales jobs. {@link io.millrace.rest.JobWatch}
 * reads a job repeatedly. A record whose name ends in {@code Reading} contains the values at one moment.
 *
 * <p>The figures in a reading follow from the declarations in {@code metrics}. A value that is not known is null or absent,
 * never 0.
 *
 * <p>The package's classes print nothing and do not depend on commands or run folders. Readings are not consistent with
 * each other, because Flink collects metrics at intervals.
 */
@NullMarked
package io.millrace.rest;

import org.jspecify.annotations.NullMarked;
