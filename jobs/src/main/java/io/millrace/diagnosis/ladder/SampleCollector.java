package io.millrace.diagnosis.ladder;

import io.millrace.batch.PackCheck;
import io.millrace.config.PipelineConfig;
import io.millrace.lifecycle.Handles;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.source.PositionReader;
import io.millrace.transform.PlacedTransform;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A collector that runs samples through the first stages of a pipeline in this thread, as the tasks of a run do. */
final class SampleCollector {
    /** A cache may use the size of the heap divided by this number. The rest is for copies and batches. */
    private static final int HEAP_DIVISOR = 4;

    private final PipelineConfig config;
    private final RunPlan plan;
    private final int count;

    /**
     * Creates a collector for a pipeline.
     *
     * @param count the number of samples, at least 1; fewer are collected when the dataset or the free heap is too small
     */
    SampleCollector(PipelineConfig config, RunPlan plan, int count) {
        this.config = config;
        this.plan = plan;
        this.count = count;
    }

    /**
     * Returns the first good samples of an epoch, in its order. A sample that would be quarantined is left out.
     *
     * @param transforms the number of the pipeline's transforms that are applied, at least 0
     * @throws IOException when the dataset cannot be read, or every sample is bad
     */
    List<CachedSample> collect(int transforms) throws IOException {
        List<PlacedTransform> stages = Pipeline.transforms(config, Split.TRAIN);
        int own = stages.size() - config.data().transforms().size(); // those of single datasets
        List<PlacedTransform> applied = stages.subList(0, own + transforms);
        boolean packedNext = applied.size() == stages.size();
        List<CachedSample> samples = new ArrayList<>();
        long bytes = 0;
        long most = Runtime.getRuntime().maxMemory() / HEAP_DIVISOR;
        try (PositionReader reader = PositionReader.open(plan.data(config));
                Handles open = new Handles()) {
            stages.forEach(open::add);
            long size = plan.batches().trainSamples();
            for (long i = 0; i < size && samples.size() < count && bytes < most; i++) {
                Sample sample = reader.read(plan.batches().firstPosition(0, Split.TRAIN) + i);
                if (sample.badSample() == null
                        && applied.stream()
                                .allMatch(transform -> !transform.appliesTo(sample) || transform.apply(sample))
                        && (!packedNext
                                || PackCheck.refusal(plan.rows(), sample).isEmpty())) {
                    CachedSample cached = CachedSample.of(sample);
                    bytes += cached.bytes();
                    samples.add(cached);
                }
            }
        }
        if (samples.isEmpty()) {
            throw new IOException("dataset " + config.data().dataset().spec().path() + ": every sample is bad");
        }
        return samples;
    }
}
