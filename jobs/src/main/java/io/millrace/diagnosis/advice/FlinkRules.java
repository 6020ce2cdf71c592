package io.millrace.diagnosis.advice;

import io.millrace.config.CheckpointConfig;
import io.millrace.diagnosis.Limit;
import io.millrace.option.TimeSpan;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The rules about the processes that run Flink: their heap, and the storage of their checkpoints. */
final class FlinkRules {
    /** The share of the time in which Flink stores checkpoints after the change. */
    private static final double LITTLE = 0.25;

    private FlinkRules() {}

    /** Proposes a larger heap, or fewer slots that share it, when garbage collections limit the pipeline. */
    static List<Advice> heap(Situation situation) {
        if (!situation.limitedBy(Limit.Kind.COLLECTIONS)) {
            return List.of();
        }
        Limit collections = situation.limit().orElseThrow();
        return List.of(Advice.act(
                String.format(
                        Locale.ROOT,
                        "garbage collections stop all threads for %.0f %% of the time: with a larger young generation, or"
                                + " fewer slots that share it, more objects are garbage when it is collected",
                        100 * situation.model().collecting()),
                "run with a larger heap: MILLRACE_JVM_OPTS='-Xmn2g' for a run on this machine; on a cluster, a larger"
                        + " taskmanager.memory.task.heap.size, or fewer taskmanager.numberOfTaskSlots on more TaskManagers",
                model -> model.without(collections)));
    }

    /** Proposes less frequent checkpoints, or faster storage, when Flink stores checkpoints for most of the time. */
    static List<Advice> checkpointStorage(Situation situation) {
        Optional<CheckpointConfig> checkpoint = situation.config().recovery().checkpoint();
        Double storing = situation.storing();
        if (checkpoint.isEmpty() || storing == null) {
            return List.of();
        }
        long factor = (long) Math.ceil(storing / LITTLE);
        return List.of(Advice.set(
                String.format(
                        Locale.ROOT,
                        "Flink stores checkpoints for %.0f %% of the time, and if the storage were slower, they would be"
                                + " rarer than checkpoint.interval requires; faster storage under checkpoint.path is the"
                                + " alternative to a longer interval, after which a failure repeats more training",
                        100 * storing),
                List.of("checkpoint.interval="
                        + new TimeSpan(checkpoint.get().interval().multipliedBy(factor))),
                null));
    }
}
