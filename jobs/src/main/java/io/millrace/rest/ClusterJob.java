package io.millrace.rest;

import org.jspecify.annotations.Nullable;

/**
 * A job in a cluster's list. The list contains running jobs, and ended jobs for as long as the JobManager remembers them.
 *
 * @param id Flink's id, 32 hexadecimal digits
 * @param name the job's name
 * @param state Flink's name of the state: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param startedAtMillis wall clock at the start
 * @param endedAtMillis wall clock at the end; null while the job goes on
 * @param durationMillis the time from its submission until now or its end
 * @param adaptive whether the adaptive scheduler runs it, which fits the parallelism to the available slots
 */
public record ClusterJob(
        String id,
        String name,
        String state,
        long startedAtMillis,
        @Nullable Long endedAtMillis,
        long durationMillis,
        boolean adaptive) {}
