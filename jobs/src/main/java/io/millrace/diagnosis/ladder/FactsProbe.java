package io.millrace.diagnosis.ladder;

import io.millrace.batch.SparseValues;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.advice.DatasetFacts;
import io.millrace.pipeline.RunPlanner;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A probe of some samples after each stage of a pipeline. */
public final class FactsProbe {
    private static final int SAMPLES = 16;

    /**
     * The size of sparse rows, as a share of dense rows, below which the sparse form is proposed. Rows of bits or of
     * 16-bit floats would be larger. Sparse rows lose no values, but their size differs from sample to sample.
     */
    private static final double MOST_SPARSE = 0.1;

    private FactsProbe() {}

    /** Reads and transforms some samples in this thread, and returns the facts about them. */
    public static DatasetFacts probe(PipelineConfig config) throws Exception {
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
        return new DatasetFacts(stored, pixels, wires(samples));
    }

    private static List<DatasetFacts.Wire> wires(List<CachedSample> samples) {
        List<DatasetFacts.Wire> wires = new ArrayList<>();
        List<String> names = samples.get(0).names();
        for (int at = 0; at < names.size(); at++) {
            int column = at;
            List<Field> fields =
                    samples.stream().map(sample -> sample.fields().get(column)).toList();
            double bytes = fields.stream()
                    .mapToLong(field -> field.data().length)
                    .average()
                    .orElse(0);
            double sparse = sparse(fields);
            wires.add(new DatasetFacts.Wire(names.get(at), kind(fields, sparse), bytes, sparse));
        }
        return wires;
    }

    private static DatasetFacts.Kind kind(List<Field> fields, double sparse) {
        if (sparse < MOST_SPARSE) {
            return DatasetFacts.Kind.MOSTLY_ZERO;
        }
        if (fields.stream().allMatch(field -> field.dtype() == DType.FLOAT32)) {
            return DatasetFacts.Kind.FLOAT32;
        }
        return fields.stream().allMatch(FactsProbe::isZeroOrOne)
                ? DatasetFacts.Kind.ZERO_OR_ONE
                : DatasetFacts.Kind.OTHER;
    }

    /**
     * Returns the bytes of sparse rows divided by those of dense rows, the largest ratio of all samples; 1 when the field
     * cannot be sparse.
     */
    private static double sparse(List<Field> fields) {
        double most = 0;
        for (Field field : fields) {
            boolean one = Arrays.equals(field.shape(), fields.get(0).shape());
            if (field.kind().varies() || field.dtype() == DType.ENCODED || field.shape().length == 0 || !one) {
                return 1;
            }
            most = Math.max(most, SparseValues.share(field));
        }
        return most;
    }

    private static boolean isZeroOrOne(Field field) {
        if (field.dtype() != DType.UINT8 || field.kind().varies()) {
            return false;
        }
        for (byte value : field.data()) {
            if (value != 0 && value != 1) {
                return false;
            }
        }
        return true;
    }
}
