package io.millrace.diagnosis.ladder;

import io.millrace.batch.Fitting;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.source.PositionReader;
import io.millrace.transform.PlacedTransform;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Takes samples through a pipeline's first stages in this thread, as the tasks of a run would. */
final class SampleCollector {
    /** Of the heap, what a cache may take: copies and batches need room beside it. */
    private static final int HEAP_SHARE = 4;

    private final PipelineConfig config;
    private final RunPlan plan;
    private final int wanted;

    /**
     * Of that pipeline.
     *
     * @param wanted how many samples, at least 1; fewer are taken where the dataset has fewer, or the heap no room
     */
    SampleCollector(PipelineConfig config, RunPlan plan, int wanted) {
        this.config = config;
        this.plan = plan;
        this.wanted = wanted;
    }

    /**
     * The first good samples of an epoch, in its order.
     *
     * @param transforms how many of the pipeline's they go through
     * @throws IOException when reading as such fails, or no sample is good
     */
    List<CachedSample> collect(int transforms) throws IOException {
        List<PlacedTransform> stages = Pipeline.transforms(config, Split.TRAIN);
        List<PlacedTransform> made = stages.subList(0, transforms);
        boolean all = transforms == stages.size(); // what comes then is packed
        List<CachedSample> samples = new ArrayList<>();
        long bytes = 0;
        long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        try (PositionReader reader =
                PositionReader.open(config.data().dataset().spec(), null, plan.batches(), plan.order())) {
            long size = plan.batches().trainSamples();
            for (long i = 0; i < size && samples.size() < wanted && bytes < most; i++) {
                Sample sample = reader.read(plan.batches().firstPosition(0, Split.TRAIN) + i);
                if (sample.badSample() == null
                        && made.stream().allMatch(transform -> transform.apply(sample))
                        && (!all || Fitting.refusal(plan.rows(), sample).isEmpty())) {
                    CachedSample cached = CachedSample.of(sample);
                    bytes += cached.bytes();
                    samples.add(cached);
                }
            }
        }
        if (samples.isEmpty()) {
            throw new IOException("dataset " + config.data().dataset().spec().path() + ": no sample is good");
        }
        return samples;
    }
}
