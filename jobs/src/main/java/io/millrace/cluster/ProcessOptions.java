package io.millrace.cluster;

import java.util.List;
import java.util.Map;

/**
 * The options of one process, in addition to those of all processes of its cluster.
 *
 * @param flink Flink's options, which override those of the cluster
 * @param jvm options of the JVM, which come last and override all others
 * @param environment environment variables, which override those of this program
 * @param wrapper a command that runs the process, for example {@code nice -n 10}; it must replace itself with the
 *     process (exec)
 */
public record ProcessOptions(
        Map<String, String> flink, List<String> jvm, Map<String, String> environment, List<String> wrapper) {
    /** No additional options. */
    public static final ProcessOptions NONE = new ProcessOptions(Map.of(), List.of(), Map.of(), List.of());

    public ProcessOptions {
        flink = Map.copyOf(flink);
        jvm = List.copyOf(jvm);
        environment = Map.copyOf(environment);
        wrapper = List.copyOf(wrapper);
    }

    /** Returns options that consist of Flink's options alone. */
    public static ProcessOptions flink(Map<String, String> options) {
        return new ProcessOptions(options, List.of(), Map.of(), List.of());
    }
}
