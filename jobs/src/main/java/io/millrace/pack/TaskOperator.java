package io.millrace.pack;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.TypeInspection;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.StageMetrics;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The operator that executes tasks and emits the number of each finished task. A task that has a record was finished
 * earlier and is not repeated.
 */
final class TaskOperator extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long, Long> {
    private static final long serialVersionUID = 1;

    private final PackSpec spec;
    private final PackPlan plan;

    private transient Handles open;
    private transient PackFolder folder;
    private transient PackTask tasks;

    @SuppressWarnings("NullAway.Init") // open() sets the transient fields in the task
    TaskOperator(PackSpec spec, PackPlan plan) {
        this.spec = spec;
        this.plan = plan;
    }

    @Override
    public void open() throws Exception {
        super.open();
        open = new Handles();
        folder = PackFolder.of(spec.folder());
        Dataset opened = open.add(spec.dataset().open());
        if (opened.size() != plan.samples()) {
            throw new PackException("dataset " + spec.dataset().path() + " had " + plan.samples()
                    + " samples when the pack began, and has " + opened.size() + " now");
        }
        String path = spec.dataset().path();
        Dataset settled = SettledDataset.of(opened, TypeInspection.of(path, opened, place -> place));
        tasks = open.add(new PackTask(spec, folder, settled, new StageMetrics(getMetricGroup())));
    }

    @Override
    public void processElement(StreamRecord<Long> element) throws IOException {
        long task = element.getValue();
        Optional<TaskRecord> done = folder.finished(task);
        if (done.isEmpty()) {
            tasks.pack(task, plan.first(task), plan.end(task));
        }
        output.collect(element);
    }

    @Override
    public void close() throws Exception {
        try {
            if (open != null) { // null when open() failed
                open.close();
            }
        } finally {
            super.close();
        }
    }
}
