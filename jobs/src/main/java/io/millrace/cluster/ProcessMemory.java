package io.millrace.cluster;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessSpec;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/**
 * How Flink divides a process's memory, as the scripts of its distribution ask it to.
 *
 * @param jvm options of the JVM: heap, direct memory, metaspace
 * @param arguments what the process must be told of the division
 * @param bytes all that the process may take, by its configuration
 */
record ProcessMemory(List<String> jvm, List<String> arguments, long bytes) {
    ProcessMemory {
        jvm = List.copyOf(jvm);
        arguments = List.copyOf(arguments);
    }

    /**
     * Divides.
     *
     * @throws ClusterException when the options of memory contradict each other, with Flink's sentence
     */
    static ProcessMemory of(ProcessRole role, Configuration configuration) throws ClusterException {
        try {
            if (role == ProcessRole.TASKMANAGER) {
                TaskExecutorProcessSpec spec = TaskExecutorProcessUtils.processSpecFromConfig(configuration);
                return new ProcessMemory(
                        words(ProcessMemoryUtils.generateJvmParametersStr(spec)),
                        words(TaskExecutorProcessUtils.generateDynamicConfigsStr(spec)),
                        spec.getTotalProcessMemorySize().getBytes());
            }
            JobManagerProcessSpec spec = JobManagerProcessUtils.processSpecFromConfig(configuration);
            return new ProcessMemory(
                    words(JobManagerProcessUtils.generateJvmParametersStr(spec, configuration)),
                    words(JobManagerProcessUtils.generateDynamicConfigsStr(spec)),
                    spec.getTotalProcessMemorySize().getBytes());
        } catch (IllegalConfigurationException e) {
            throw new ClusterException(
                    "the memory of a " + role.title() + " is not configured well: " + e.getMessage(), e);
        }
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }
}
