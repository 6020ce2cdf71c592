package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.sink.files.Events;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The run itself: its name, its folder, and the Flink that it runs on.
 *
 * @param folder the folder that the run writes into
 * @param web whether an embedded Flink has a web UI
 * @param webPort the port of an embedded Flink's web UI, 0 for any free port; empty for the first free port of
 *     {@link #webPorts}
 * @param events whether the folder gets event files for TensorBoard
 * @param flink Flink's own settings
 */
public record RunConfig(
        String name, Path folder, Web web, Optional<Integer> webPort, Events events, Map<String, String> flink)
        implements PipelineConfig.Part {
    /** Whether an embedded Flink has a web UI. */
    public enum Web {
        /** The user of the run can open it. */
        ON,
        /** Only the run itself can read Flink's figures. */
        OFF
    }

    /** The port for an interface whose address nobody needs. */
    private static final String ANY_PORT = "0";

    /** Flink's own port and the next ones, for runs that overlap. */
    private static final String DEFAULT_WEB_PORTS = "8081-8180";

    static final Option<String> NAME = Option.of(
                    "name", Types.name(), "The name of the run. Default: the name of the file.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Object> SECTION = Option.of(
                    "run", Types.structure("section"), "The run's folder and its web UI.")
            .optional();
    static final Option<Path> FOLDER = Option.of(
                    "folder",
                    Types.path(),
                    "The folder for the run's summary, steps and model. Default: runs/ and the name.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Web> WEB = Option.of(
                    "web",
                    OptionType.choice(Web.class),
                    "Whether a run in a single process has a web UI, which only its own user can open.")
            .orElse(Web.ON)
            .decides(Identity.NOTHING);
    static final Option<Integer> WEB_PORT = Option.of(
                    "web_port",
                    Types.between(0, 65_535),
                    "The port of the web UI of a run in a single process; 0: any free port. Default: the first free"
                            + " port from 8081 on.")
            .optional()
            .decides(Identity.NOTHING);
    static final List<Option<?>> OPTIONS = List.of(FOLDER, WEB, WEB_PORT);

    static final Option<Boolean> TENSORBOARD = Option.of(
                    "tensorboard",
                    OptionType.BOOLEAN,
                    "Whether the run writes event files for TensorBoard into its folder: loss, accuracy, speed and"
                            + " starvation.")
            .orElse(false)
            .decides(Identity.NOTHING);
    static final Option<Map<String, String>> FLINK = Option.of(
                    "flink",
                    FlinkSettings.TYPE,
                    "Settings of Flink and its file systems, such as s3.endpoint, for runs in a single process. A"
                            + " cluster uses its own settings.")
            .optional()
            .decides(Identity.NOTHING);

    public RunConfig {
        flink = Map.copyOf(flink);
    }

    /**
     * Reads the run's keys.
     *
     * @param fileName the name of the run when the file has none
     */
    static RunConfig read(Section root, String fileName) {
        String name = root.find(NAME).orElse(fileName);
        Section run = root.section(SECTION, OPTIONS);
        return new RunConfig(
                name,
                run.find(FOLDER).orElseGet(() -> Path.of("runs", name)),
                run.get(WEB),
                run.find(WEB_PORT),
                root.get(TENSORBOARD) ? Events.WRITTEN : Events.NONE,
                root.find(FLINK).orElse(Map.of()));
    }

    void write(WrittenConfig root) {
        root.put(NAME, name).put(TENSORBOARD, events == Events.WRITTEN).section(SECTION, this, RunConfig::writeSection);
        if (!flink.isEmpty()) {
            root.put(FLINK, FlinkSettings.written(flink));
        }
    }

    private void writeSection(WrittenConfig section) {
        section.put(FOLDER, folder).put(WEB, web).put(WEB_PORT, webPort);
    }

    /** Returns the same run in another folder. */
    public RunConfig withFolder(Path other) {
        return new RunConfig(name, other, web, webPort, events, flink);
    }

    /** Returns the same run under another name. */
    public RunConfig withName(String other) {
        return new RunConfig(other, folder, web, webPort, events, flink);
    }

    /** Returns the same run with a folder inside that of another run, without a web UI and without event files. */
    public RunConfig within(Path other) {
        return new RunConfig(name, other, Web.OFF, Optional.of(0), Events.NONE, flink);
    }

    /** Returns the same run without event files. */
    public RunConfig withoutEvents() {
        return new RunConfig(name, folder, web, webPort, Events.NONE, flink);
    }

    /** Returns the port, or a range as Flink writes it, of which the first free port is used. */
    public String webPorts() {
        return web == Web.OFF ? ANY_PORT : webPort.map(String::valueOf).orElse(DEFAULT_WEB_PORTS);
    }

    /** Returns {@link #flink} for a cluster in this process, without the secrets of file systems, which its web UI would show. */
    public Map<String, String> flinkOfCluster() {
        return FlinkSettings.ofCluster(flink);
    }
}
