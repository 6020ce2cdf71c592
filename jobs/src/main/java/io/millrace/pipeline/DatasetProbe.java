package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.FieldType;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.lifecycle.Handles;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleUnit;
import io.millrace.sample.Split;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a dataset, found from one good sample.
 *
 * <p>Tested by {@code RunPlannerTest} and {@code WireTypesTest}.
 *
 * @param dataset the path of the dataset
 * @param key the key of the sample
 */
record DatasetProbe(
        String dataset,
        long size,
        List<String> classes,
        List<WireColumn> wire,
        Map<String, String> meanings,
        long storedBytes,
        String key,
        boolean resident,
        boolean labelled,
        SampleUnit unit,
        List<String> remarks) {
    /** The largest number of samples that are tried to find a good sample. */
    private static final int PROBES = 1000;

    /** The number of good samples with other extents than most samples have, after which the next good sample is taken. */
    private static final int MOST_UNUSUAL = 100;

    /** Returns the columns of a batch. */
    List<BatchSpec.Column> columns() {
        return wire.stream().map(WireColumn::column).toList();
    }

    /**
     * Inspects a dataset. The columns are those of a good sample, and if possible of one that has the extents that most samples
     * have.
     *
     * @param dataset the dataset, whose samples have the settled types
     * @param classes the classes of the training set, or null when the dataset is the training set
     */
    static DatasetProbe of(
            PipelineConfig config,
            DatasetSpec spec,
            Dataset dataset,
            FieldTypes types,
            List<TransformSpec> transforms,
            @Nullable List<String> classes)
            throws IOException, PipelineException {
        try (Handles open = new Handles()) {
            List<Transform> made = transforms.stream()
                    .map(transform -> open.add(transform.create()))
                    .toList();
            BadSampleException bad = null;
            long unusual = 0;
            for (long index = 0; index < Math.min(dataset.size(), PROBES); index++) {
                try {
                    Sample sample = dataset.read(index).placeAt(index, 0, Split.TRAIN);
                    if (!types.isUsual(sample) && ++unusual < MOST_UNUSUAL && index + 1 < dataset.size()) {
                        continue;
                    }
                    long storedBytes = Math.max(1, sample.bytes());
                    SampleUnit unit = spec.unit(sample);
                    Map<String, Field> read = varying(types, sample);
                    List<String> remarks = Stream.concat(
                                    dataset.remarks().stream(), BoxFields.remarks(sample, transforms).stream())
                            .toList();
                    for (int stage = 0; stage < made.size(); stage++) {
                        apply(
                                made.get(stage),
                                sample,
                                new SampleRandom(config.data().order().seed(), stage));
                    }
                    List<String> known = classes == null ? dataset.classes() : classes;
                    List<WireColumn> wire = BatchColumns.of(config, spec.path(), sample, known.size());
                    requireOneShape(spec, types, read, sample, wire);
                    return new DatasetProbe(
                            spec.path(),
                            dataset.size(),
                            dataset.classes(),
                            wire,
                            BoxFields.meanings(sample, wire),
                            storedBytes,
                            sample.key(),
                            dataset.resident(),
                            dataset.labels().isPresent(),
                            unit,
                            remarks);
                } catch (BadSampleException e) {
                    bad = e;
                }
            }
            throw noGoodSample(spec, bad);
        }
    }

    /** Returns the fields of a sample whose extents differ from sample to sample. */
    private static Map<String, Field> varying(FieldTypes types, Sample sample) {
        Map<String, Field> varying = new HashMap<>();
        types.byName().forEach((name, type) -> {
            if (type.varies() && sample.fieldNames().contains(name)) {
                varying.put(name, sample.field(name));
            }
        });
        return varying;
    }

    /** Requires that no field that is sent in one shape differs from sample to sample, unless a transform has changed it. */
    private static void requireOneShape(
            DatasetSpec spec, FieldTypes types, Map<String, Field> read, Sample sample, List<WireColumn> wire)
            throws PipelineException {
        for (WireColumn each : wire) {
            String name = each.column().name();
            FieldType type = types.byName().get(name);
            if (type != null && !each.column().varies() && sample.field(name) == read.get(name)) {
                throw new PipelineException("samples of " + spec.path() + " have '" + name + "' as " + type.describe()
                        + ", where ? differs from sample to sample, but all rows of a batch have one shape"
                        + (type.variesInFirst()
                                ? ": make the field ragged, batch: {forms: {" + name + ": ragged}}"
                                : ". Only the first extent may differ, in a ragged field; a transform must give all samples one"
                                        + " shape"));
            }
        }
    }

    private static void apply(Transform transform, Sample sample, SampleRandom random)
            throws BadSampleException, PipelineException {
        try {
            transform.applyToAll(sample, random);
        } catch (IllegalStateException e) { // the pipeline is wrong, not the sample, see ImageFields
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        }
    }

    private static DatasetException noGoodSample(DatasetSpec spec, @Nullable BadSampleException last) {
        String message = "dataset " + spec.path() + ": none of the first samples is good";
        return last == null
                ? new DatasetException(message)
                : new DatasetException(message + "; the last one tried, " + last.file() + ": " + last.reason(), last);
    }
}
