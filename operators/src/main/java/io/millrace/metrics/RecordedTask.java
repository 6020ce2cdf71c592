package io.millrace.metrics;

import io.millrace.trace.Recording;
import io.millrace.trace.Trace;
import java.util.Map;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/** Lets a task take part in a recording. */
public final class RecordedTask {
    private RecordedTask() {}

    /**
     * To be called by the task's thread, before it or a thread of its makes anything that records.
     *
     * @param operatorGroup knows the TaskManager
     * @param recording null where nothing is recorded
     */
    public static Trace.Share join(MetricGroup operatorGroup, @Nullable Recording recording) {
        Map<String, String> variables = operatorGroup.getAllVariables();
        String host = variables.getOrDefault("<host>", "");
        return Trace.join(
                recording,
                "TaskManager " + variables.getOrDefault("<tm_id>", "?") + ", process "
                        + ProcessHandle.current().pid() + (host.isEmpty() ? "" : " on " + host));
    }
}
