package io.millrace.cluster;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;

/**
 * The command line of one of Flink's processes, as the scripts of Flink's distribution would build it.
 *
 * <p>Options of the JVM are in this order, and a later option overrides an earlier one: options of this program that every
 * process needs, memory, {@code env.java.opts.all} and the option for the role from the configuration, and the options of the
 * single process.
 */
final class ProcessCommand {
    /** The prefixes of options that the launcher passes to this program for the JVM, the machine or the libraries. */
    private static final List<String> INHERITED = List.of(
            "--add-opens",
            "--add-exports",
            "--enable-native-access",
            "--sun-misc-unsafe-memory-access",
            "-Dai.djl.",
            "-Djava.io.tmpdir=",
            "-Dorg.bytedeco.",
            "-Djava.awt.headless",
            "-Daws.java.v1.disableDeprecationAnnouncement",
            "-Dmillrace.kernels",
            // The archive of the libraries' classes: all processes have class paths that begin with the libraries.
            "-XX:SharedArchiveFile=",
            "-Xlog:cds",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=",
            "-XX:MetaspaceSize=",
            "-XX:Tier4");

    /** Options for processes that decode samples, because decoded samples are large and short-lived. */
    private static final List<String> INHERITED_BY_WORKERS =
            List.of("-XX:+UseParallelGC", "-XX:+UseTransparentHugePages");

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC");

    /** The variables of the environment from which a JVM reads options. */
    private static final List<String> ENVIRONMENT = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private static final Map<ProcessRole, ConfigOption<String>> JVM_OPTIONS = Map.of(
            ProcessRole.JOBMANAGER, CoreOptions.FLINK_JM_JVM_OPTIONS,
            ProcessRole.TASKMANAGER, CoreOptions.FLINK_TM_JVM_OPTIONS);

    private ProcessCommand() {}

    /**
     * Builds the command line of a process.
     *
     * @param configuration the cluster's configuration with the changes for this process
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
        // The library that compresses checkpoints would leave its native code in the folder for temporary files when
        // the process is killed, and that folder may be mounted so that no library can be loaded from it.
        command.add("-Dorg.xerial.snappy.tempdir=" + folder.temporary());
        keepOneCollector(command, System.getenv());
        command.addAll(logging(folder, log));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), role.mainClass()));
        command.addAll(List.of("--configDir", folder.configuration().toString()));
        command.addAll(memory.arguments());
        new TreeMap<>(options.flink()).forEach((key, value) -> command.add("-D" + key + "=" + value));
        return command;
    }

    /** Returns the options that make a process log to this file. */
    static List<String> logging(ClusterFolder folder, Path log) {
        Path configuration = folder.configuration().resolve(ClusterLogs.CONFIGURATION);
        return List.of("-Dlog.file=" + log, "-Dlog4j2.configurationFile=" + configuration.toUri());
    }

    /** Adds the options of this program's JVM that a process of this role also needs. */
    static void inherited(ProcessRole role, List<String> command) {
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (isInherited(role, argument)) {
                command.add(argument);
            }
        }
    }

    /** Returns whether a process of this role also needs this option of this program's JVM. */
    static boolean isInherited(ProcessRole role, String argument) {
        return INHERITED.stream().anyMatch(argument::startsWith)
                || (role == ProcessRole.TASKMANAGER && INHERITED_BY_WORKERS.contains(argument));
    }

    /**
     * Removes all garbage collectors but one, because a JVM does not start with two. One that the environment names precedes those of
     * the configuration, and a later one an earlier one.
     */
    static void keepOneCollector(List<String> command, Map<String, String> environment) {
        boolean chosen = ENVIRONMENT.stream()
                .anyMatch(name ->
                        COLLECTOR.matcher(environment.getOrDefault(name, "")).find());
        for (int i = command.size() - 1; i >= 0; i--) {
            if (COLLECTOR.matcher(command.get(i)).matches()) {
                if (chosen) {
                    command.remove(i);
                }
                chosen = true;
            }
        }
    }

    /** Returns the path of the java that runs this program. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }
}
