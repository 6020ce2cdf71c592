package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.Optional;

/**
 * The time and place of checkpoints. After a failure the run repeats only the work since the last checkpoint.
 *
 * @param interval the time from one checkpoint to the next
 * @param path a folder or an address that all machines of the job can reach; empty for the run's folder
 * @param timeout the time after which an unfinished checkpoint is abandoned
 * @param keep the number of finished checkpoints that are kept, at least 1
 */
public record CheckpointConfig(Duration interval, Optional<String> path, Mode mode, Duration timeout, int keep) {
    /** The treatment of records in the network buffers during a checkpoint, with Flink's names. */
    public enum Mode {
        /** Barriers wait behind the records in the network buffers, so that the checkpoint is small. */
        ALIGNED,
        /**
         * Barriers overtake the records in the network buffers, which become part of the checkpoint, so that it does
         * not wait for slow stages.
         */
        UNALIGNED
    }

    /** The value of the key {@code checkpoint} in a run without checkpoints. */
    private static final String OFF = "off";

    static final Option<Object> SECTION = Option.of(
                    "checkpoint",
                    Types.structure("section, or off"),
                    "When and where the run is saved, so that it can continue after a failure; off: only when it is stopped or rescaled.")
            .optional();
    static final Option<TimeSpan> INTERVAL = Option.of(
                    "interval",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(10)), new TimeSpan(Duration.ofDays(30))),
                    "Time from one checkpoint to the next.")
            .orElse(new TimeSpan(Duration.ofSeconds(30)))
            .decides(Identity.NOTHING);
    static final Option<String> PATH = Option.of(
                    "path",
                    OptionType.TEXT,
                    "The folder or address, such as s3://bucket/run, of the checkpoints; all machines must be able to reach"
                            + " it. Default: checkpoints/ in the run's folder.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Mode> MODE = Option.of(
                    "mode",
                    OptionType.choice(Mode.class),
                    "Whether a checkpoint waits for the samples in the network buffers (aligned) or saves them too (unaligned).")
            .orElse(Mode.ALIGNED)
            .decides(Identity.NOTHING);
    static final Option<TimeSpan> TIMEOUT = Option.of(
                    "timeout",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(10)), new TimeSpan(Duration.ofDays(1))),
                    "The time after which an incomplete checkpoint is aborted; the run continues.")
            .orElse(new TimeSpan(Duration.ofMinutes(10)))
            .decides(Identity.NOTHING);
    static final Option<Integer> KEEP = Option.of(
                    "keep", Types.between(1, 1000), "The number of finished checkpoints that are kept.")
            .orElse(1)
            .decides(Identity.NOTHING);
    static final Bound<CheckpointConfig> KEYS = Bound.of(CheckpointConfig.class);

    /** Reads the key {@code checkpoint}; empty when it is off. */
    static Optional<CheckpointConfig> read(Section root) {
        return isOff(root) ? Optional.empty() : Optional.of(root.section(SECTION, KEYS));
    }

    /**
     * Returns whether checkpoints are off. In some versions of YAML the word {@code off} is a boolean, so both the word
     * and the boolean count.
     */
    private static boolean isOff(Section root) {
        Object raw = root.entry(SECTION).map(Tree.Entry::value).map(Tree::raw).orElse(null);
        return OFF.equals(raw) || Boolean.FALSE.equals(raw);
    }

    /** Writes the key {@code checkpoint}. */
    static void write(Optional<CheckpointConfig> checkpoint, WrittenConfig root) {
        checkpoint.ifPresentOrElse(config -> root.section(SECTION, config, KEYS), () -> root.put(SECTION, OFF));
    }
}
