package io.millrace.cluster;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;

/**
 * The command line of one of Flink's processes, as the scripts of its distribution would make it.
 *
 * <p>Options of the JVM come in this order, so that the later win: those of this program that any process of ours needs,
 * memory, the configuration's {@code env.java.opts.all} and its like for the role, the process's own.
 */
final class ProcessCommand {
    /** What the launcher gives this program because of the JVM, the machine or the libraries. */
    private static final List<String> INHERITED = List.of(
            "--add-opens",
            "--add-exports",
            "--add-modules",
            "--enable-native-access",
            "--sun-misc-unsafe-memory-access",
            "-Dai.djl.",
            "-Dorg.bytedeco.",
            "-Djava.awt.headless",
            "-Daws.java.v1.disableDeprecationAnnouncement",
            "-Dmillrace.kernels");

    /** And what helps where samples are decoded: young garbage in large blocks. */
    private static final List<String> INHERITED_BY_WORKERS =
            List.of("-XX:+UseParallelGC", "-XX:+UseTransparentHugePages");

    private static final Map<ProcessRole, ConfigOption<String>> JVM_OPTIONS = Map.of(
            ProcessRole.JOBMANAGER, CoreOptions.FLINK_JM_JVM_OPTIONS,
            ProcessRole.TASKMANAGER, CoreOptions.FLINK_TM_JVM_OPTIONS);

    private ProcessCommand() {}

    /**
     * Puts it together.
     *
     * @param configuration the cluster's with the process's changes
     */
    static List<String> flink(
            ProcessRole role,
            ClusterFolder folder,
            List<String> classPath,
            Configuration configuration,
            ProcessMemory memory,
            ProcessOptions options,
            Path log) {
        List<String> command = new ArrayList<>();
        command.add(java());
        inherited(role, command);
        command.addAll(memory.jvm());
        command.addAll(words(configuration.get(CoreOptions.FLINK_DEFAULT_JVM_OPTIONS)));
        command.addAll(words(configuration.get(CoreOptions.FLINK_JVM_OPTIONS)));
        ConfigOption<String> forRole = JVM_OPTIONS.get(role);
        if (forRole != null) {
            command.addAll(words(configuration.get(forRole)));
        }
        command.addAll(options.jvm());
        command.addAll(logging(folder, log));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), role.mainClass()));
        command.addAll(List.of("--configDir", folder.configuration().toString()));
        command.addAll(memory.arguments());
        new TreeMap<>(options.flink()).forEach((key, value) -> command.add("-D" + key + "=" + value));
        return command;
    }

    /** Makes a process log to this file. */
    static List<String> logging(ClusterFolder folder, Path log) {
        Path configuration = folder.configuration().resolve(ClusterLogs.CONFIGURATION);
        return List.of("-Dlog.file=" + log, "-Dlog4j2.configurationFile=" + configuration.toUri());
    }

    /** Adds those options of this program's JVM that a process of this role needs as well. */
    static void inherited(ProcessRole role, List<String> command) {
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (INHERITED.stream().anyMatch(argument::startsWith)
                    || (role == ProcessRole.TASKMANAGER && INHERITED_BY_WORKERS.contains(argument))) {
                command.add(argument);
            }
        }
    }

    /** The JVM of this program. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }
}
