package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.MalformedSampleException;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at a pipeline's datasets before the job starts: sizes, classes, and the shape that samples come out with. */
public final class RunPlanner {
    /** Bad samples to skip when looking for one that shows the shape. */
    private static final int PROBES = 1000;

    private RunPlanner() {}

    /**
     * Opens the datasets and sends one good sample of each through its transforms.
     *
     * @throws DatasetException when a dataset is missing or empty, or no sample shows a shape, with a sentence
     */
    public static RunPlan plan(PipelineConfig config) throws IOException {
        Probe train = probe(
                config.dataset().spec(), config.transforms(), config.order().seed());
        EvaluateConfig evaluate = config.evaluate().orElse(null);
        Probe evaluation = evaluate == null
                ? null
                : probe(
                        evaluate.dataset().spec(),
                        evaluate.transforms(),
                        config.order().seed());
        if (evaluation != null && !evaluation.rows.equals(train.rows)) {
            throw new DatasetException("evaluation samples (" + evaluation.key + ") come out of their transforms as "
                    + evaluation.rows.columns() + ", training samples (" + train.key + ") as " + train.rows.columns()
                    + ": expected the same");
        }
        BatchPlan batches = new BatchPlan(
                train.size,
                config.batch().size(),
                config.batch().dropLast(),
                config.epochs(),
                evaluation == null ? 0 : evaluation.size,
                evaluate == null ? 1 : evaluate.every());
        EpochOrder order =
                new EpochOrder(config.order().seed(), train.size, config.order().shuffle());
        return new RunPlan(batches, order, train.classes, train.rows, train.storedBytes);
    }

    private record Probe(long size, List<String> classes, BatchSpec rows, long storedBytes, String key) {}

    private static Probe probe(DatasetSpec spec, List<TransformSpec> transforms, long seed) throws IOException {
        try (Dataset dataset = spec.open()) {
            if (dataset.size() == 0) {
                throw new DatasetException("dataset " + spec.path() + " (" + spec.format() + ") is empty: expected at"
                        + " least one sample");
            }
            List<Transform> made =
                    transforms.stream().map(TransformSpec::create).toList();
            MalformedSampleException bad = null;
            for (long index = 0; index < Math.min(dataset.size(), PROBES); index++) {
                try {
                    Sample sample = dataset.read(index).placeAt(index, 0, Split.TRAIN);
                    long storedBytes = Math.max(1, bytes(sample));
                    for (int stage = 0; stage < made.size(); stage++) {
                        made.get(stage).apply(sample, new SampleRandom(seed, stage).reset(0, index));
                    }
                    requireDecoded(spec, sample);
                    return new Probe(dataset.size(), dataset.classes(), rows(sample), storedBytes, sample.key());
                } catch (MalformedSampleException e) {
                    bad = e;
                }
            }
            throw noGoodSample(spec, bad);
        }
    }

    private static DatasetException noGoodSample(DatasetSpec spec, @Nullable MalformedSampleException last) {
        String message = "dataset " + spec.path() + ": none of the first samples is good";
        return last == null
                ? new DatasetException(message)
                : new DatasetException(message + "; the last one tried, " + last.file() + ": " + last.reason(), last);
    }

    private static void requireDecoded(DatasetSpec spec, Sample sample) throws DatasetException {
        for (String name : sample.fieldNames()) {
            if (sample.field(name).dtype() == DType.ENCODED) {
                throw new DatasetException("samples of " + spec.path() + " come out of their transforms still encoded"
                        + " (field '" + name + "'): their transforms need a 'decode'");
            }
        }
    }

    private static long bytes(Sample sample) {
        return sample.fieldNames().stream()
                .mapToLong(name -> sample.field(name).data().length)
                .sum();
    }

    private static BatchSpec rows(Sample sample) {
        return new BatchSpec(sample.fieldNames().stream()
                .map(name -> {
                    Field field = sample.field(name);
                    List<Integer> shape = Arrays.stream(field.shape()).boxed().toList();
                    return new BatchSpec.Column(name, field.dtype(), shape);
                })
                .toList());
    }
}
