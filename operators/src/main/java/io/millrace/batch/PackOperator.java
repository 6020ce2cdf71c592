package io.millrace.batch;

import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Sample;
import java.util.concurrent.ScheduledFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * The stage that packs: emits a micro-batch when it is full, when its first row has waited for the delay, before a
 * checkpoint barrier and at the end of input. It therefore has no state.
 *
 * <p>A network edge must follow, as any but a forward edge is: the emitted micro-batch is closed when the call that emits
 * it returns. Runs on the task's thread alone, timers included.
 */
public final class PackOperator extends AbstractStreamOperator<MicroBatch>
        implements OneInputStreamOperator<Sample, MicroBatch>, BoundedOneInput {
    /** The stage's name in the graph, the metrics and the reports. */
    public static final String NAME = "pack";

    private static final long serialVersionUID = 1;

    /** What exists while the operator is open. */
    private record Opened(BufferAllocator allocator, Packer packer, StageMetrics metrics) implements AutoCloseable {
        @Override
        public void close() {
            try (allocator;
                    packer) {
                // Closed in reverse order: the packer, then the allocator, which throws if memory is missing.
            }
        }
    }

    private final BatchSpec spec;
    private final PackLimits limits;
    private transient @Nullable Opened opened;
    private transient @Nullable ScheduledFuture<?> timer;
    private transient long dueMillis;

    public PackOperator(BatchSpec spec, PackLimits limits) {
        this.spec = spec;
        this.limits = limits;
    }

    @Override
    public void open() throws Exception {
        super.open();
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        BufferAllocator allocator =
                MicroBatchMemory.allocator().newChildAllocator(NAME + "-" + subtask, 0, Long.MAX_VALUE);
        try {
            opened = new Opened(allocator, new Packer(allocator, spec, limits), new StageMetrics(getMetricGroup()));
        } finally {
            if (opened == null) {
                allocator.close();
            }
        }
    }

    @Override
    public void processElement(StreamRecord<Sample> element) {
        Sample sample = element.getValue();
        Packer packer = opened().packer();
        StageMetrics metrics = opened().metrics();
        if (!packer.fits(sample)) {
            flush();
        }
        metrics.received();
        metrics.worked(packer.add(sample));
        if (packer.isFull()) {
            emit(packer);
        } else if (packer.rows() == 1) {
            awaitOthers();
        }
        metrics.handedOn();
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        flush();
    }

    @Override
    public void endInput() {
        flush();
    }

    @Override
    public void close() throws Exception {
        Opened closing = opened;
        opened = null;
        try {
            if (closing != null) {
                closing.close();
            }
        } finally {
            super.close();
        }
    }

    StageMetrics metrics() {
        return opened().metrics();
    }

    private void flush() {
        Packer packer = opened().packer();
        if (!packer.isEmpty()) {
            long began = System.nanoTime();
            emit(packer);
            opened().metrics().handedOnBetween(began);
        }
    }

    private void emit(Packer packer) {
        try (MicroBatch batch = packer.flush()) {
            output.collect(new StreamRecord<>(batch));
        }
    }

    /** The first row of a micro-batch starts the clock. One timer at a time: it moves on while rows keep coming. */
    private void awaitOthers() {
        dueMillis = getProcessingTimeService().getCurrentProcessingTime()
                + limits.delay().toMillis();
        if (timer == null) {
            timer = getProcessingTimeService().registerTimer(dueMillis, this::onTimer);
        }
    }

    private void onTimer(long nowMillis) {
        timer = null;
        if (opened().packer().isEmpty()) {
            return;
        }
        if (nowMillis >= dueMillis) {
            flush();
        } else {
            timer = getProcessingTimeService().registerTimer(dueMillis, this::onTimer);
        }
    }

    private Opened opened() {
        if (opened == null) {
            throw new IllegalStateException("the pack operator is not open");
        }
        return opened;
    }
}
