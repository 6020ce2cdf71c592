package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.sink.Events;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The run itself.
 *
 * @param folder what the run writes goes here
 * @param webPort of Flink's web UI when Flink is embedded, 0 for any free one; empty for the first free one of
 *     {@link #webPorts}
 * @param events whether the folder gets event files for TensorBoard
 */
public record RunConfig(Path folder, Optional<Integer> webPort, Events events) {
    /** Flink's own port, or when runs overlap one of the next. */
    private static final String DEFAULT_WEB_PORTS = "8081-8180";

    static final Option<Path> FOLDER = Option.of(
                    "folder",
                    Types.path(),
                    "Where the run writes its summary, steps and model. Default: runs/ and the name.")
            .optional();
    static final Option<Integer> WEB_PORT = Option.of(
                    "web_port",
                    Types.between(0, 65_535),
                    "Port of an embedded Flink's web UI; 0 takes any free one. Default: the first free one from 8081 on.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(FOLDER, WEB_PORT);

    /** The port, or where none is given a range of which the first free one is taken, as Flink writes ranges. */
    public String webPorts() {
        return webPort.map(String::valueOf).orElse(DEFAULT_WEB_PORTS);
    }
}
