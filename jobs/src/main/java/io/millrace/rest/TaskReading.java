package io.millrace.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Flink's own figures of one task of the job's graph, which is one or more stages in a chain. The rates are means over
 * the subtasks, in milliseconds of each recent second; they add up to about 1000. Null means unknown.
 *
 * @param name the name in the web UI: {@code Source: read -> decode -> pack}
 * @param parallelism the number of subtasks
 * @param stages the stages of the chain, in order
 * @param busyMillisPerSecond the time with work
 * @param idleMillisPerSecond the time of waiting for input
 * @param backPressuredMillisPerSecond the time of waiting for the following stages
 */
public record TaskReading(
        String name,
        int parallelism,
        List<String> stages,
        @Nullable Double busyMillisPerSecond,
        @Nullable Double idleMillisPerSecond,
        @Nullable Double backPressuredMillisPerSecond) {
    public TaskReading {
        stages = List.copyOf(stages);
    }

    /** Returns this reading, with the values of an earlier reading for those that are unknown. */
    TaskReading orElse(TaskReading earlier) {
        return new TaskReading(
                name,
                parallelism,
                stages,
                known(busyMillisPerSecond, earlier.busyMillisPerSecond),
                known(idleMillisPerSecond, earlier.idleMillisPerSecond),
                known(backPressuredMillisPerSecond, earlier.backPressuredMillisPerSecond));
    }

    private static @Nullable Double known(@Nullable Double value, @Nullable Double earlier) {
        return value == null ? earlier : value;
    }
}
