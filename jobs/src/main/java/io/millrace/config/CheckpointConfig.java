package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.time.Duration;
import java.util.List;

/**
 * Checkpoints of the run.
 *
 * @param path where they are written: a folder, or an address of one of Flink's file systems
 */
public record CheckpointConfig(Duration interval, String path) {
    static final Option<Duration> INTERVAL =
            Option.of("interval", Types.duration(), "Time between checkpoints.").orElse(Duration.ofSeconds(30));
    static final Option<String> PATH = Option.of(
                    "path",
                    OptionType.TEXT,
                    "Where they are written, a folder or an address as s3://. Default: checkpoints in the run folder.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(INTERVAL, PATH);
}
