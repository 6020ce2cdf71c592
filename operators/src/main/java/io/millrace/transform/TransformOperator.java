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
    }

    @Override
    public void processElement(StreamRecord<Sample> element) {
        Sample sample = element.getValue();
        if (passes(sample)) {
            output.collect(element);
            return;
        }
        StageDone done = sample.takeDone();
        if (done == null) {
            apply(sample);
        } else {
            record(sample, done, transform);
        }
        output.collect(element);
        metrics().handedOn();
    }

    private void apply(Sample sample) {
        metrics().received(sample.aheadNanos(), sample.aheadCpuNanos());
        sample.workAhead(0, -1);
        if (!transform.apply(sample)) {
            metrics().failed();
        }
        StageDone own = sample.takeDone();
        if (own != null) { // the transform has done the work of the stages behind it, too
            metrics().workedElsewhere(transform.remoteCpuNanos());
            metrics().workedWithLater(own.bytes(), own.laterNanos());
            sample.done(own.next());
            return;
        }
        long ahead = sample.aheadNanos();
        metrics().workedElsewhere(transform.remoteCpuNanos());
        long aheadCpu = metrics().worked(bytes(sample), ahead);
        sample.workAhead(ahead, aheadCpu);
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
