package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.FieldType;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.lifecycle.Handles;
import io.millrace.order.SampleRandom;
import io.millrace.order.Sources;
import io.millrace.order.WeightTable;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleUnit;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inspection of a pipeline's datasets before the job starts. It finds their sizes, their classes, and the shape of
 * transformed samples.
 *
 * <p>Tested by {@code RunPlannerTest}, {@code WireTypesTest} and {@code RowsITCase}.
 */
public final class RunPlanner {
    /** The largest number of samples that are tried to find a good sample. */
    private static final int PROBES = 1000;

    /** The number of good samples with other extents than most samples have, after which the next good sample is taken. */
    private static final int MOST_UNUSUAL = 100;

    private RunPlanner() {}

    /**
     * Opens the datasets, settles the types of their fields, and transforms one good sample of each.
     *
     * @throws DatasetException when a dataset is missing or empty, or when none of the tried samples is good
     * @throws PipelineException when transforms, datasets and model are inconsistent
     */
    public static RunPlan plan(PipelineConfig config) throws IOException, PipelineException {
        return plan(config, Optional.empty());
    }

    /**
     * Plans a run as {@link #plan(PipelineConfig)} does, with the types that an earlier run settled.
     *
     * @param earlier the types of the run that is continued; empty for a new run
     */
    public static RunPlan plan(PipelineConfig config, Optional<SettledTypes> earlier)
            throws IOException, PipelineException {
        EvaluateConfig evaluate = config.evaluate().orElse(null);
        List<PipelineConfig> configs = config.bySource();
        try (Handles open = new Handles()) {
            List<Dataset> trainSets = new ArrayList<>();
            for (PipelineConfig each : configs) {
                trainSets.add(open.add(RememberedLabels.of(DatasetOpening.openFilled(each, Split.TRAIN))));
            }
            Dataset evaluationSet = evaluate == null
                    ? null
                    : open.add(RememberedLabels.of(DatasetOpening.openFilled(configs.get(0), Split.EVALUATE)));
            Sources sources = RunOrder.sources(config, trainSets);
            SettledTypes types = DatasetTypes.settle(configs, trainSets, evaluationSet, earlier);
            List<String> remarks = new ArrayList<>();
            List<Probe> trained = new ArrayList<>();
            for (int source = 0; source < configs.size(); source++) {
                trained.add(training(
                        configs.get(source),
                        SettledDataset.of(trainSets.get(source), types.train(source)),
                        types.train(source),
                        remarks));
                requireSameSamples(config, trained.get(0), trained.get(source));
            }
            Probe train = trained.get(0);
            List<String> classes = trained.stream()
                    .map(Probe::classes)
                    .max(Comparator.comparingInt(List::size))
                    .orElseThrow();
            Probe evaluation = null;
            if (evaluate != null && evaluationSet != null) {
                Dataset evaluated = SettledDataset.of(evaluationSet, types.evaluation());
                evaluation = probe(
                        config,
                        evaluate.dataset().spec(),
                        evaluated,
                        types.evaluation(),
                        evaluate.transforms(),
                        classes);
                Component model = Sinks.model(config.train(), classes.size());
                LabelCheck check = new LabelCheck(config, model, train.wire);
                remarks.addAll(remarks(evaluation, check.remarks(evaluation.dataset, evaluated, evaluated.labels())));
                requireSameRows("training and evaluation samples", train, evaluation);
                requireClasses(config, model, evaluation);
                requireSameClasses("training and evaluation", classes, train, evaluation);
            }
            Optional<WeightTable> weights =
                    SampleWeights.of(config, SettledDataset.of(trainSets.get(0), types.train(0)), remarks);
            RunOrder order = RunOrder.of(config, sources, weights, evaluation == null ? 0 : evaluation.size);
            return new RunPlan(
                    order.batches(),
                    order.order(),
                    sources,
                    classes,
                    train.wire,
                    trained.stream().mapToLong(Probe::storedBytes).max().orElseThrow(),
                    types,
                    trained.stream().allMatch(Probe::resident) && (evaluation == null || evaluation.resident),
                    train.labelled,
                    trained.stream().allMatch(one -> one.unit == train.unit) ? train.unit : SampleUnit.SAMPLES,
                    remarks.stream().distinct().toList());
        }
    }

    /** Inspects one training dataset and adds its remarks. */
    private static Probe training(PipelineConfig config, Dataset dataset, FieldTypes types, List<String> remarks)
            throws IOException, PipelineException {
        Probe probe = probe(
                config,
                config.data().dataset().spec(),
                dataset,
                types,
                config.data().transforms(),
                null);
        Component model = Sinks.model(config.train(), probe.classes.size());
        requireClasses(config, model, probe);
        LabelCheck check = new LabelCheck(config, model, probe.wire);
        remarks.addAll(remarks(probe, check.remarks(probe.dataset, dataset, dataset.labels())));
        check.unusedOutputs(probe.dataset, probe.classes.size()).ifPresent(remarks::add);
        return probe;
    }

    /** Requires that two datasets of a mixture have samples of one kind. */
    private static void requireSameSamples(PipelineConfig config, Probe first, Probe other) throws PipelineException {
        if (config.data().mix().isEmpty()) {
            return;
        }
        requireSameRows("the datasets of a mixture", first, other);
        requireSameClasses("all datasets of a mixture", first.classes, first, other);
        if (first.labelled != other.labelled) {
            throw new PipelineException("the datasets of a mixture must all have labels, or none of them, but those of "
                    + (first.labelled ? first : other).dataset + " have some and those of "
                    + (first.labelled ? other : first).dataset + " have none");
        }
    }

    /**
     * The properties of a dataset, found from one good sample. {@code dataset} is the path of the dataset, and {@code
     * key} is the key of the sample.
     */
    private record Probe(
            String dataset,
            long size,
            List<String> classes,
            List<WireColumn> wire,
            long storedBytes,
            String key,
            boolean resident,
            boolean labelled,
            SampleUnit unit,
            List<String> remarks) {
        List<BatchSpec.Column> columns() {
            return wire.stream().map(WireColumn::column).toList();
        }
    }

    private static List<String> remarks(Probe probe, List<String> onLabels) {
        return Stream.concat(probe.remarks.stream(), onLabels.stream())
                .map(remark -> probe.dataset + ": " + remark)
                .toList();
    }

    private static void requireSameRows(String both, Probe train, Probe evaluation) throws PipelineException {
        if (!evaluation.columns().equals(train.columns())) {
            throw new PipelineException(both + " must have the same columns after their transforms, but "
                    + train.key + " in " + train.dataset + " has " + describe(train) + " and "
                    + evaluation.key
                    + " in " + evaluation.dataset + " has " + describe(evaluation));
        }
    }

    private static String describe(Probe probe) {
        return probe.columns().stream()
                .map(column -> "'" + column.name() + "' " + column.describe())
                .collect(Collectors.joining(", "));
    }

    /** Requires equal class names, because the model sees only the label's number. */
    private static void requireSameClasses(String both, List<String> classes, Probe train, Probe evaluation)
            throws PipelineException {
        for (int label = 0; label < Math.min(classes.size(), evaluation.classes.size()); label++) {
            if (!classes.get(label).equals(evaluation.classes.get(label))) {
                throw new PipelineException("class " + label + " is '" + classes.get(label) + "' in "
                        + train.dataset + ", but '" + evaluation.classes.get(label) + "' in " + evaluation.dataset
                        + ": expected the same classes in " + both);
            }
        }
    }

    private static void requireClasses(PipelineConfig config, Component model, Probe probe) throws PipelineException {
        if (config.train().roles().target().equals(Roles.LABEL)
                && model.options().raw().get(Sinks.CLASSES) instanceof Number classes
                && classes.longValue() > 1 // with 1 output the label is a number to predict, see Losses
                && probe.classes.size() > classes.longValue()) {
            throw new PipelineException("dataset " + probe.dataset + " has " + probe.classes.size()
                    + " classes, but the model " + model.name() + " has " + classes
                    + ": expected at least as many (train.model." + model.name() + ".classes)");
        }
    }

    /**
     * Inspects a dataset. The columns are those of a good sample, and if possible of one that has the extents that most samples
     * have.
     *
     * @param dataset the dataset, whose samples have the settled types
     * @param classes the classes of the training set, or null when the dataset is the training set
     */
    private static Probe probe(
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
                    long storedBytes = Math.max(1, bytes(sample));
                    SampleUnit unit = spec.unit(sample);
                    Map<String, Field> read = varying(types, sample);
                    List<String> remarks = Stream.concat(
                                    dataset.remarks().stream(), BoxFields.remarks(sample, transforms).stream())
                            .toList();
                    for (int stage = 0; stage < made.size(); stage++) {
                        apply(
                                made.get(stage),
                                sample,
                                new SampleRandom(config.data().order().seed(), stage).reset(0, index));
                    }
                    List<String> known = classes == null ? dataset.classes() : classes;
                    List<WireColumn> wire = BatchColumns.of(config, spec.path(), sample, known.size());
                    requireOneShape(spec, types, read, sample, wire);
                    return new Probe(
                            spec.path(),
                            dataset.size(),
                            dataset.classes(),
                            wire,
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
            transform.apply(sample, random);
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

    private static long bytes(Sample sample) {
        return sample.fieldNames().stream()
                .mapToLong(name -> sample.field(name).data().length)
                .sum();
    }
}
