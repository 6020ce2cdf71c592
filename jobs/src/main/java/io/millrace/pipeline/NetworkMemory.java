package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/** The memory for Flink's network buffers that the tasks of a pipeline need in one TaskManager. Without it, no task starts. */
public final class NetworkMemory {
    /** The buffers that Flink needs for each channel of an input. */
    private static final long CHANNEL = 2;

    /** The buffers that it needs besides, for each input and each output of a task. */
    private static final long MORE = 1;

    private NetworkMemory() {}

    /**
     * Raises the memory of a TaskManager that has all slots of a job, unless the configuration sets it.
     *
     * @param branches the pipelines of the job
     */
    public static void raise(Configuration flink, List<PipelineConfig> branches) {
        MemorySize usual = TaskManagerOptions.NETWORK_MEMORY_MIN.defaultValue();
        long needed = branches.stream().mapToLong(NetworkMemory::buffers).sum()
                * flink.get(TaskManagerOptions.MEMORY_SEGMENT_SIZE).getBytes();
        long some = needed + needed / 4;
        if (some > usual.getBytes()
                && !flink.contains(TaskManagerOptions.NETWORK_MEMORY_MIN)
                && !flink.contains(TaskManagerOptions.NETWORK_MEMORY_MAX)) {
            flink.set(TaskManagerOptions.NETWORK_MEMORY_MIN, new MemorySize(some));
            flink.set(TaskManagerOptions.NETWORK_MEMORY_MAX, new MemorySize(some));
        }
    }

    /** Returns the fewest buffers with which all tasks start. */
    static long buffers(PipelineConfig config) {
        StagesConfig stages = config.slots().stages();
        String before = "";
        long tasks = 0;
        long buffers = 0;
        for (Map.Entry<String, Integer> stage : Pipeline.stages(config).entrySet()) {
            boolean first = before.isEmpty();
            if (!first && (stages.separate(before) || stages.separate(stage.getKey()))) {
                buffers += between(tasks, stage.getValue());
            }
            before = stage.getKey();
            tasks = stage.getValue();
        }
        int trainers = config.train().trainers().ranks();
        return buffers + exchanged(tasks, trainers, trainers, tasks);
    }

    private static long between(long senders, long receivers) {
        return senders == receivers
                ? exchanged(senders, receivers, 1, 1) // each task has one channel
                : exchanged(senders, receivers, receivers, senders);
    }

    private static long exchanged(long senders, long receivers, long outputs, long inputs) {
        return receivers * (CHANNEL * inputs + MORE) + senders * (outputs + MORE);
    }
}
