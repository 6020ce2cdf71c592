package io.millrace.rest;

import org.jspecify.annotations.Nullable;

/**
 * A job in a cluster's list. The list contains running jobs, and ended jobs for as long as the JobManager remembers them.
 *
 * @param id Flink's id, 32 hexadecimal digits
 * @param name the job's name
 * @param state Flink's name of the state: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param startedAtMillis the wall-clock time at the start, in milliseconds since 1970
 * @param endedAtMillis the wall-clock time at the end, in milliseconds since 1970; null while the job continues
 * @param durationMillis the time from the submission of the job until now or until its end
 * @param adaptive whether the job runs under the adaptive scheduler, which adapts the parallelism to the available
 *     slots
 */
public record ClusterJob(
        String id,
        String name,
        String state,
        long startedAtMillis,
        @Nullable Long endedAtMillis,
        long durationMillis,
        boolean adaptive) {}
