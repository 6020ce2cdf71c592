package io.millrace.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One task of the job's graph, which is one or more stages in a chain, as Flink sees it. The rates are Flink's own, as
 * means over the subtasks: milliseconds in each second of late, which add up to about 1000. Null is unknown.
 *
 * @param name as the web UI shows it: {@code Source: read -> decode -> pack}
 * @param stages of the chain, in order
 * @param busyMillisPerSecond time with work
 * @param idleMillisPerSecond time waiting for input
 * @param backPressuredMillisPerSecond time waiting for what follows
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

    /** This reading, with an earlier one's values where this has none. */
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
