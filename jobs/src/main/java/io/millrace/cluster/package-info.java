/**
 * A Flink cluster of real processes on this machine: one JobManager, any number of TaskManagers, all from the class path
 * of this program, so that no Flink distribution is needed.
 *
 * <p>{@link io.millrace.cluster.LocalCluster} is the way in. A cluster lives in a folder, which knows its processes by
 * number and time of start: a process that merely got the number of one that is gone is never touched. Knows neither
 * pipelines nor jobs. What the processes print goes to their logs in that folder.
 */
@NullMarked
package io.millrace.cluster;

import org.jspecify.annotations.NullMarked;
