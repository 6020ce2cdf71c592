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
 * Flink's division of a process's memory, as the scripts of Flink's distribution compute it.
 *
 * @param jvm options of the JVM: heap, direct memory, metaspace
 * @param arguments program arguments that pass the division to the process
 * @param bytes the total memory of the process according to its configuration
 */
record ProcessMemory(List<String> jvm, List<String> arguments, long bytes) {
    ProcessMemory {
        jvm = List.copyOf(jvm);
        arguments = List.copyOf(arguments);
    }

    /**
     * Divides the memory of a process.
     *
     * @throws ClusterException when the memory options contradict each other, with Flink's message
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
                    "the memory options of a " + role.title() + " contradict each other: " + e.getMessage(), e);
        }
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }
}
