/**
 * A client of Flink's REST API: the jobs of a cluster, their tasks, and readings of their metrics.
 *
 * <p>Start with {@link io.millrace.rest.FlinkRest}, which reads the metrics of one job, and {@link
 * io.millrace.rest.ClusterRest}, which lists, stops and rescales jobs. Records whose names end in {@code Reading} hold what
 * was read at one moment; a value that is not known is absent (null or NaN), never 0.
 *
 * <p>May import {@code metrics} and {@code pipeline}. Nothing here prints or knows about commands and run folders.
 */
@NullMarked
package io.millrace.rest;

import org.jspecify.annotations.NullMarked;
