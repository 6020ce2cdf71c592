package io.millrace.config;

import io.millrace.option.Option;
import java.nio.file.Path;
import java.util.List;

/**
 * The run itself.
 *
 * @param folder what the run writes goes here
 * @param webPort of Flink's web UI when Flink is embedded; 0 for any free port
 */
public record RunConfig(Path folder, int webPort) {
    private static final int DEFAULT_WEB_PORT = 8081;

    static final Option<Path> FOLDER = Option.of(
                    "folder",
                    Types.path(),
                    "Where the run writes its summary, steps and model. Default: runs/ and the name.")
            .optional();
    static final Option<Integer> WEB_PORT = Option.of(
                    "web_port",
                    Types.between(0, 65_535),
                    "Port of Flink's web UI when Flink is embedded; 0 takes any free one, the default the first free from 8081 on.")
            .orElse(DEFAULT_WEB_PORT);
    static final List<Option<?>> OPTIONS = List.of(FOLDER, WEB_PORT);

    /** The port, or for the default a range of which the first free one is taken, as Flink writes ranges. */
    public String webPorts() {
        return webPort == DEFAULT_WEB_PORT ? DEFAULT_WEB_PORT + "-" + (DEFAULT_WEB_PORT + 99) : String.valueOf(webPort);
    }
}
