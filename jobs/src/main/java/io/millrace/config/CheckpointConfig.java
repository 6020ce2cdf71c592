package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * When and where the run is saved, so that a failure costs no more than what was done since.
 *
 * @param path a folder or the address of a file system that all machines of the job see; empty: within the run's folder
 * @param timeout after which a checkpoint that is not done is given up
 * @param keep how many finished ones are kept
 */
public record CheckpointConfig(Duration interval, Optional<String> path, Mode mode, Duration timeout, int keep) {
    /** How barriers travel, by Flink's words. */
    public enum Mode {
        /** Behind what is on its way: the checkpoint is small. */
        ALIGNED,
        /** Past what is on its way, which then becomes a part of the checkpoint: it does not wait for slow stages. */
        UNALIGNED
    }

    static final Option<TimeSpan> INTERVAL = Option.of(
                    "interval",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(10)), new TimeSpan(Duration.ofDays(30))),
                    "Time from one checkpoint to the next.")
            .orElse(new TimeSpan(Duration.ofSeconds(30)));
    static final Option<String> PATH = Option.of(
                    "path",
                    OptionType.TEXT,
                    "Where checkpoints go: a folder, or an address as s3://bucket/run, that all machines see. Default:"
                            + " checkpoints/ in the run's folder.")
            .optional();
    static final Option<Mode> MODE = Option.of(
                    "mode",
                    OptionType.choice(Mode.class),
                    "Whether a checkpoint waits for the samples on their way (aligned) or takes them in (unaligned).")
            .orElse(Mode.ALIGNED);
    static final Option<TimeSpan> TIMEOUT = Option.of(
                    "timeout",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(10)), new TimeSpan(Duration.ofDays(1))),
                    "A checkpoint that takes longer is given up; the run goes on.")
            .orElse(new TimeSpan(Duration.ofMinutes(10)));
    static final Option<Integer> KEEP = Option.of(
                    "keep", Types.between(1, 1000), "How many finished checkpoints are kept.")
            .orElse(1);
    static final List<Option<?>> OPTIONS = List.of(INTERVAL, PATH, MODE, TIMEOUT, KEEP);

    static CheckpointConfig read(Section section) {
        return new CheckpointConfig(
                section.get(INTERVAL).duration(),
                section.find(PATH),
                section.get(MODE),
                section.get(TIMEOUT).duration(),
                section.get(KEEP));
    }
}
