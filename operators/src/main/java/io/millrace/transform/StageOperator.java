package io.millrace.transform;

import io.millrace.metrics.EndedStages;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.trace.Recording;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * A Flink operator that applies one transform to the good samples of its split and its dataset. It passes all other samples on
 * unchanged, and measures itself. It has no state: the result for a sample depends on the sample alone.
 */
public abstract class StageOperator extends AbstractStreamOperator<Sample>
        implements OneInputStreamOperator<Sample, Sample> {
    private static final long serialVersionUID = 1;

    private final StagePlace place;
    private final @Nullable Recording recording;

    private transient StageMetrics stageMetrics;
    private transient StageChain chain;

    /** Creates a stage that takes part in a recording; null for none. */
    @SuppressWarnings("NullAway.Init") // open() creates the transient fields, in the task
    StageOperator(StagePlace place, @Nullable Recording recording) {
        this.place = place;
        this.recording = recording;
    }

    /**
     * Returns the operator of a stage.
     *
     * @param recording the trace recording of the run; null when nothing is recorded
     */
    public static StageOperator of(StagePlace place, @Nullable Recording recording) {
        return place.spec().workers() == 1
                ? new TransformOperator(place, recording)
                : new ConcurrentTransformOperator(place, recording);
    }

    @Override
    public void open() throws Exception {
        super.open();
        stageMetrics = new StageMetrics(getMetricGroup(), recording);
        EndedStages.join(getMetricGroup());
        chain = StageChain.of(getContainingTask().getEnvironment());
        chain.join(place.stageNumber());
    }

    StagePlace place() {
        return place;
    }

    StageMetrics metrics() {
        return stageMetrics;
    }

    /** Returns the work that the stage before has done for this one on the sample that arrives, or null. */
    @Nullable
    StageDone doneBefore(Sample sample) {
        return chain.take(sample);
    }

    /**
     * Hands on a sample.
     *
     * @param next the work of the next stages that has already been done; null for none
     */
    void handOn(StreamRecord<Sample> element, @Nullable StageDone next) {
        chain.leave(element.getValue(), next, place.stageNumber() + 1);
        output.collect(element);
    }

    /** Creates an instance of the transform, for the calling thread. */
    PlacedTransform transform(int worker) {
        return place.transform(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), worker, chain);
    }

    /** Returns whether the stage has no work on a sample. */
    boolean passes(Sample sample) {
        return !place.appliesTo(sample) || sample.badSample() != null;
    }

    /**
     * Takes over the whole work of this stage, which an earlier stage has done.
     *
     * @return the bytes of field data after the stage
     */
    long takeOver(Sample sample, StageDone done, PlacedTransform transform) {
        String code = done.code();
        if (code != null) {
            transform.addCode(code);
        }
        RuntimeException failure = done.failure();
        if (failure != null) {
            throw new StageFailedException(place.stage(), sample.index(), sample.key(), failure);
        }
        String reason = done.badReason();
        if (reason != null) {
            transform.quarantine(sample, sample.key(), -1, reason);
            stageMetrics.failed();
        }
        return bytes(sample, done);
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            if (stageMetrics != null) { // null when open() failed
                stageMetrics.close();
                EndedStages.add(getRuntimeContext(), getMetricGroup(), stageMetrics);
            }
        }
    }

    /** Returns the bytes of field data after a stage that has done this work on a sample. */
    static long bytes(Sample sample, @Nullable StageDone done) {
        if (done != null && done.bytes() != StageDone.UNKNOWN) {
            return done.bytes();
        }
        return sample.bytes();
    }
}
