package io.millrace.cluster;

import java.util.List;
import java.util.Map;

/**
 * What one process gets beside what its cluster's processes all get.
 *
 * @param flink Flink's options, which win over the cluster's
 * @param jvm options of the JVM; they come last
 * @param environment variables, over those of this program
 * @param wrapper a command that runs the process, as {@code nice -n 10}; it has to become the process (exec)
 */
public record ProcessOptions(
        Map<String, String> flink, List<String> jvm, Map<String, String> environment, List<String> wrapper) {
    /** Nothing more. */
    public static final ProcessOptions NONE = new ProcessOptions(Map.of(), List.of(), Map.of(), List.of());

    public ProcessOptions {
        flink = Map.copyOf(flink);
        jvm = List.copyOf(jvm);
        environment = Map.copyOf(environment);
        wrapper = List.copyOf(wrapper);
    }

    /** Only options of Flink. */
    public static ProcessOptions flink(Map<String, String> options) {
        return new ProcessOptions(options, List.of(), Map.of(), List.of());
    }
}
