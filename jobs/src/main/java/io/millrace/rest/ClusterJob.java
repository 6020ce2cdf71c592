package io.millrace.rest;

import org.jspecify.annotations.Nullable;

/**
 * A job in a cluster's list, which has those that run and, while the JobManager remembers them, those that ended.
 *
 * @param id 32 hexadecimal digits
 * @param state Flink's word: CREATED, RUNNING, RESTARTING, FINISHED, FAILED, CANCELED ...
 * @param startedAtMillis wall clock
 * @param endedAtMillis null of one that goes on
 * @param durationMillis since it was submitted, until its end
 * @param adaptive whether its scheduler uses the slots that there are, changing its parallelism as it runs
 */
public record ClusterJob(
        String id,
        String name,
        String state,
        long startedAtMillis,
        @Nullable Long endedAtMillis,
        long durationMillis,
        boolean adaptive) {}
