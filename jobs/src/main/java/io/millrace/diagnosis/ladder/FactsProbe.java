package io.millrace.diagnosis.ladder;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.advice.DatasetFacts;
import io.millrace.pipeline.RunPlanner;
import io.millrace.sample.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Looks at some samples behind each stage. */
public final class FactsProbe {
    private static final int SAMPLES = 16;

    private FactsProbe() {}

    /** What they show; reads and transforms some samples in this thread. */
    public static DatasetFacts look(PipelineConfig config) throws Exception {
        SampleCollector collector = new SampleCollector(config, RunPlanner.plan(config), SAMPLES);
        Map<String, Double> pixels = new LinkedHashMap<>();
        List<String> stages = config.transformStages();
        List<CachedSample> samples = List.of();
        double stored = Double.NaN;
        for (int done = 0; done <= stages.size(); done++) {
            samples = collector.collect(done);
            if (done == 0) {
                stored = samples.stream()
                        .mapToLong(CachedSample::bytes)
                        .average()
                        .orElse(Double.NaN);
            }
            String stage = done == 0 ? "read" : stages.get(done - 1);
            samples.stream()
                    .flatMap(sample -> sample.image().stream())
                    .filter(image -> image.dtype() != DType.ENCODED && image.shape().length == 3)
                    .mapToLong(image -> (long) image.height() * image.width())
                    .average()
                    .ifPresent(mean -> pixels.put(stage, mean));
        }
        return new DatasetFacts(stored, pixels, samples.get(0).names());
    }
}
