/**
 * A Flink cluster of real processes on this machine: one JobManager and any number of TaskManagers. All processes use the
 * class path of this program, so that no Flink distribution is needed.
 *
 * <p>Read {@link io.millrace.cluster.LocalCluster} first. {@code ClusterLaunch} starts processes, {@code
 * ProcessCommand} builds their command lines, and {@code ClusterFolder} stores the files of a cluster: configuration,
 * logs, and one file for each process with its number and the time of its start. Because of this time, an unrelated
 * process with the same number is never stopped.
 *
 * <p>The package does not depend on pipelines or jobs.
 *
 * <p>The package does not support clusters of several machines. Only the rights of the folder protect a cluster against
 * other users of this machine, because the REST interface and the web UI have no password.
 */
@NullMarked
package io.millrace.cluster;

import org.jspecify.annotations.NullMarked;
