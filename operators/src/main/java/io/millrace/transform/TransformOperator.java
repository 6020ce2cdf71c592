package io.millrace.transform;

import io.millrace.metrics.StageMetrics;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.StageDone;
import io.millrace.trace.Recording;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * A Flink operator that applies one transform to the good samples of its split. It passes all other samples on
 * unchanged, and measures itself. It has no state: the result for a sample depends on the sample alone.
 */
public final class TransformOperator extends AbstractStreamOperator<Sample>
        implements OneInputStreamOperator<Sample, Sample> {
    private static final long serialVersionUID = 1;

    private final String stage;
    private final TransformSpec spec;
    private final Split split;
    private final String dataset;
    private final long seed;
    private final int stageNumber;
    private final Neighbors neighbors;
    private final @Nullable Recording recording;

    private transient PlacedTransform transform;
    private transient StageMetrics stageMetrics;

    /**
     * Creates a stage of a pipeline.
     *
     * @param stage the name of the stage in metrics and messages
     * @param spec the transform and its options
     * @param split the split to whose samples the transform applies
     * @param dataset the name of the dataset in messages
     * @param seed the seed of the run
     * @param stageNumber the number that selects the stage's random numbers, see {@link SampleRandom}
     * @param neighbors the transforms that the operators beside this one apply to the same samples
     * @param recording the trace recording of the run; null when nothing is recorded
     */
    @SuppressWarnings("NullAway.Init") // open() creates the transient fields, in the task
    public TransformOperator(
            String stage,
            TransformSpec spec,
            Split split,
            String dataset,
            long seed,
            int stageNumber,
            Neighbors neighbors,
            @Nullable Recording recording) {
        this.stage = stage;
        this.spec = spec;
        this.split = split;
        this.dataset = dataset;
        this.seed = seed;
        this.stageNumber = stageNumber;
        this.neighbors = neighbors;
        this.recording = recording;
    }

    @Override
    public void open() throws Exception {
        super.open();
        int slot = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        transform = new PlacedTransform(
                stage, spec, dataset, seed, stageNumber, new TransformContext(slot, seed, neighbors));
        stageMetrics = new StageMetrics(getMetricGroup(), recording);
        stageMetrics.callsCode(transform::code);
    }

    @Override
    public void processElement(StreamRecord<Sample> element) {
        Sample sample = element.getValue();
        if (sample.split() != split || sample.badSample() != null) {
            output.collect(element);
            return;
        }
        StageDone done = sample.takeDone();
        if (done == null) {
            apply(sample);
        } else {
            record(sample, done);
        }
        output.collect(element);
        stageMetrics.handedOn();
    }

    private void apply(Sample sample) {
        stageMetrics.received(sample.aheadNanos(), sample.aheadCpuNanos());
        sample.workAhead(0, -1);
        if (!transform.apply(sample)) {
            stageMetrics.failed();
        }
        StageDone own = sample.takeDone();
        if (own != null) { // the transform has done the work of the stages behind it, too
            stageMetrics.workedElsewhere(transform.remoteCpuNanos());
            stageMetrics.workedWithLater(own.bytes(), own.laterNanos());
            sample.done(own.next());
            return;
        }
        long ahead = sample.aheadNanos();
        stageMetrics.workedElsewhere(transform.remoteCpuNanos());
        long aheadCpu = stageMetrics.worked(bytes(sample), ahead);
        sample.workAhead(ahead, aheadCpu);
    }

    /** Records the work of this stage that an earlier stage has done. */
    private void record(Sample sample, StageDone done) {
        String code = done.code();
        if (code != null) {
            transform.addCode(code);
        }
        RuntimeException failure = done.failure();
        if (failure != null) {
            throw new StageFailedException(stage, sample.index(), sample.key(), failure);
        }
        String reason = done.badReason();
        if (reason != null) {
            transform.quarantine(sample, sample.key(), -1, reason);
            stageMetrics.failed();
        }
        stageMetrics.doneBefore(done.nanos(), done.cpuNanos(), done.laterNanos(), done.bytes());
        sample.done(done.next());
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            if (transform != null) { // null when open() failed
                transform.close();
            }
            if (stageMetrics != null) {
                stageMetrics.close();
            }
        }
    }

    private static long bytes(Sample sample) {
        long bytes = 0;
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            bytes += field.bytes();
        }
        return bytes;
    }
}
