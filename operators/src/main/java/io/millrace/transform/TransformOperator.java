package io.millrace.transform;

import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.trace.Recording;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/** The operator that applies its transform in the task's thread, to one sample after the other. */
final class TransformOperator extends StageOperator {
    private static final long serialVersionUID = 1;

    private transient PlacedTransform transform;

    @SuppressWarnings("NullAway.Init") // open() creates the transient field, in the task
    TransformOperator(StagePlace place, @Nullable Recording recording) {
        super(place, recording);
    }

    @Override
    public void open() throws Exception {
        super.open();
        transform = transform(0);
        metrics().callsCode(transform::code);
        metrics().caches(transform::cacheUse);
    }

    @Override
    public void processElement(StreamRecord<Sample> element) {
        Sample sample = element.getValue();
        StageDone before = doneBefore(sample);
        if (passes(sample)) {
            output.collect(element);
            return;
        }
        if (before == null) {
            metrics().received();
        } else {
            metrics().received(before.nanos(), before.cpuNanos(), before.laterNanos());
        }
        StageDone next;
        if (before == null || !before.whole()) {
            next = apply(sample);
        } else {
            metrics().worked(takeOver(sample, before, transform));
            next = before.next();
        }
        handOn(element, next);
        metrics().handedOn();
    }

    /** Returns the work of the next stages that the transform has done, too; null for none. */
    private @Nullable StageDone apply(Sample sample) {
        boolean good = transform.apply(sample);
        if (!good) {
            metrics().failed();
        }
        metrics().workedElsewhere(transform.remoteCpuNanos());
        StageDone own = good ? transform.done() : null;
        StageDone next = own == null ? null : own.next();
        if (own == null || next == null) {
            metrics().worked(bytes(sample, own));
            return null;
        }
        boolean inThread = next.cpuNanos() == StageDone.UNKNOWN;
        long cpuNanos = metrics().workedAhead(bytes(sample, own), own.laterNanos(), inThread);
        return inThread ? next.took(cpuNanos) : next;
    }

    @Override
    public void close() throws Exception {
        try {
            if (transform != null) { // null when open() failed
                transform.close();
            }
        } finally {
            super.close();
        }
    }
}
