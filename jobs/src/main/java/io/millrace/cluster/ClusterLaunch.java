package io.millrace.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;

/** A starter of the processes of one cluster. Settings and class path are in the cluster's folder, which records the processes. */
final class ClusterLaunch {
    private static final String PLUGINS = "FLINK_PLUGINS_DIR";

    /** The launcher's variable for the same folder; it overrides Flink's. */
    private static final String OUR_PLUGINS = "MILLRACE_PLUGINS";

    private final ClusterFolder folder;
    private final ClusterSettings settings;
    private final ClusterFolder.Description description;

    private ClusterLaunch(ClusterFolder folder, ClusterSettings settings, ClusterFolder.Description description) {
        this.folder = folder;
        this.settings = settings;
        this.description = description;
    }

    /** Writes the settings and the class path of a new cluster. */
    static ClusterLaunch fresh(ClusterFolder folder, ClusterSettings settings) throws IOException {
        settings.write(folder.configuration());
        ClusterLogs.configure(folder.configuration());
        Configuration configuration = settings.configuration();
        ClusterFolder.Description description = new ClusterFolder.Description(
                configuration.get(RestOptions.ADDRESS) + ":" + configuration.get(RestOptions.PORT),
                ClassPath.ofFlink(folder.jars()));
        folder.describe(description);
        return new ClusterLaunch(folder, settings, description);
    }

    /** Reads the settings and the class path that an earlier start wrote. */
    static ClusterLaunch stored(ClusterFolder folder) throws IOException {
        return new ClusterLaunch(
                folder,
                ClusterSettings.written(folder.configuration()),
                folder.description().orElseThrow(() -> new IOException("no cluster in " + folder.path())));
    }

    /** Returns the total memory of a process, in bytes. */
    long memoryBytes(ProcessRole role, ProcessOptions options) throws ClusterException {
        return ProcessMemory.of(role, settings.with(options.flink()).configuration())
                .bytes();
    }

    ClusterProcess jobManager() throws IOException, ClusterException {
        return flink(ProcessRole.JOBMANAGER, "jobmanager", ProcessOptions.NONE);
    }

    /** Starts a TaskManager with a name that this cluster has not used before. */
    ClusterProcess taskManager(ProcessOptions options) throws IOException, ClusterException {
        String id = "taskmanager-" + (highestNumber() + 1);
        Map<String, String> named = new LinkedHashMap<>(options.flink());
        named.putIfAbsent(TaskManagerOptions.TASK_MANAGER_RESOURCE_ID.key(), id);
        return flink(
                ProcessRole.TASKMANAGER,
                named.get(TaskManagerOptions.TASK_MANAGER_RESOURCE_ID.key()),
                new ProcessOptions(named, options.jvm(), options.environment(), options.wrapper()));
    }

    private ClusterProcess flink(ProcessRole role, String id, ProcessOptions options)
            throws IOException, ClusterException {
        Configuration configuration = settings.with(options.flink()).configuration();
        Path log = folder.logs().resolve(id + ".log");
        List<String> command = new ArrayList<>(options.wrapper());
        command.addAll(ProcessCommand.flink(
                role,
                folder,
                description.classPath(),
                configuration,
                ProcessMemory.of(role, configuration),
                options,
                log));
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("FLINK_CONF_DIR", folder.configuration().toString());
        String plugins = System.getenv(OUR_PLUGINS);
        if (plugins != null && !plugins.isEmpty()) {
            environment.put(PLUGINS, Path.of(plugins).toAbsolutePath().toString());
        }
        environment.putAll(options.environment());
        int slots = role == ProcessRole.TASKMANAGER ? configuration.get(TaskManagerOptions.NUM_TASK_SLOTS) : 0;
        return remembered(ProcessStarter.start(role, id, slots, command, environment, log));
    }

    private ClusterProcess remembered(ClusterProcess process) throws IOException {
        folder.remember(process);
        return process;
    }

    private int highestNumber() throws IOException {
        try (Stream<Path> files = Files.list(folder.logs())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("taskmanager-\\d{1,9}\\.out"))
                    .mapToInt(name -> Integer.parseInt(name.replaceAll("\\D", "")))
                    .max()
                    .orElse(0);
        }
    }
}
