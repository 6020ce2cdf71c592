package io.millrace.metrics;

import io.millrace.trace.Recording;
import io.millrace.trace.Trace;
import java.util.Map;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/** The start of a task's part in a recording. Stateless. */
public final class RecordedTask {
    private RecordedTask() {}

    /**
     * Joins a recording. The task's thread must call it before the task creates anything that records.
     *
     * @param operatorGroup the metric group of an operator, which names the TaskManager
     * @param recording the recording; null when nothing is recorded
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
