package io.millrace.pack;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceEnumerator;

/**
 * A source of task numbers. Each number is a split of its own, so a reader that has finished a task receives the next
 * number.
 */
final class TaskSource extends NumberSequenceSource {
    private static final long serialVersionUID = 1;

    private final long tasks;

    TaskSource(long tasks) {
        super(0, tasks - 1);
        this.tasks = tasks;
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> createEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context) {
        List<NumberSequenceSplit> splits = new ArrayList<>();
        for (long task = 0; task < tasks; task++) {
            splits.add(new NumberSequenceSplit("task-" + task, task, task));
        }
        return new IteratorSourceEnumerator<>(context, splits);
    }
}
