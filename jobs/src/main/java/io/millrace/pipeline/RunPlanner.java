package io.millrace.pipeline;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.ForwardingDataset;
import io.millrace.dataset.packed.SequenceSets;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.generate.ProgressListener;
import io.millrace.lifecycle.Handles;
import io.millrace.order.Order;
import io.millrace.order.Sources;
import io.millrace.order.WeightTable;
import io.millrace.sample.SampleUnit;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.transform.text.TokenizerEngine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The inspection of a pipeline's datasets before the job starts. It finds their sizes, their classes, and the shape of
 * transformed samples.
 *
 * <p>Tested by {@code RunPlannerTest}, {@code WireTypesTest} and {@code RowsITCase}.
 */
public final class RunPlanner {
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
        return plan(config, earlier, (done, total) -> {});
    }

    /**
     * Plans a run as {@link #plan(PipelineConfig, Optional)} does.
     *
     * @param progress is told how many documents have been counted, where their tokens have to be counted first
     */
    public static RunPlan plan(PipelineConfig config, Optional<SettledTypes> earlier, ProgressListener progress)
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
            SettledTypes types = DatasetTypes.settle(configs, trainSets, evaluationSet, earlier);
            List<String> remarks = new ArrayList<>();
            for (PipelineConfig each : configs) {
                each.data().transforms().forEach(transform -> TokenizerEngine.open(transform)
                        .ifPresent(tokenizer -> remarks.add(open.add(tokenizer).describe())));
            }
            List<Dataset> documents = new ArrayList<>();
            for (int source = 0; source < configs.size(); source++) {
                documents.add(SettledDataset.of(trainSets.get(source), types.train(source)));
            }
            RunPacks packs = RunPacks.of(config, documents, evaluationSet, types, progress, remarks);
            SequenceSets sequences = packs.sets();
            List<Dataset> samples = new ArrayList<>();
            for (int source = 0; source < configs.size(); source++) {
                samples.add(open.add(sequences.train(source, new Borrowed(documents.get(source)))));
            }
            Sources sources = RunOrder.sources(config, samples);
            List<DatasetProbe> trained = new ArrayList<>();
            for (int source = 0; source < configs.size(); source++) {
                trained.add(training(configs.get(source), samples.get(source), types.train(source), remarks));
                requireSameSamples(trained.get(source), trained);
            }
            DatasetProbe train = trained.get(0);
            DatasetProbe named = mostClasses(trained);
            List<String> classes = named.classes();
            new LabelCheck(config, Sinks.model(config.train(), classes.size()), train.wire())
                    .unusedOutputs(named.dataset(), classes.size())
                    .ifPresent(remarks::add);
            DatasetProbe evaluation = null;
            if (evaluate != null && evaluationSet != null) {
                Dataset evaluated = sequences.evaluation(SettledDataset.of(evaluationSet, types.evaluation()));
                evaluation = DatasetProbe.of(
                        config,
                        evaluate.dataset().spec(),
                        evaluated,
                        types.evaluation(),
                        evaluate.transforms(),
                        classes);
                Component model = Sinks.model(config.train(), classes.size());
                LabelCheck check = new LabelCheck(config, model, train.wire());
                remarks.addAll(remarks(evaluation, check.remarks(evaluation.dataset(), evaluated, evaluated.labels())));
                requireSameRows("training and evaluation samples", train, evaluation);
                requireClasses(config, model, evaluation);
                requireSameClasses("training and evaluation", named, evaluation);
            }
            Optional<WeightTable> weights = SampleWeights.of(config, samples.get(0), remarks);
            Optional<RowArrangement> arrangement =
                    RowArrangement.of(configs, RunOrder.rows(config), documents, sequences.train(), progress, remarks);
            RunOrder order = RunOrder.of(
                    config,
                    sources,
                    weights,
                    arrangement,
                    packs.round(),
                    evaluation == null ? 0 : evaluation.size(),
                    remarks);
            return new RunPlan(
                    order.batches(),
                    order.order(),
                    sources,
                    classes,
                    train.wire(),
                    trained.stream().mapToLong(DatasetProbe::storedBytes).max().orElseThrow(),
                    types,
                    arrangement
                            .map(rows -> sequences.withCounted(rows.counted()))
                            .orElse(sequences),
                    trained.stream().allMatch(DatasetProbe::resident) && (evaluation == null || evaluation.resident()),
                    train.labelled(),
                    unit(trained, sequences, order.order()),
                    remarks.stream().distinct().toList());
        }
    }

    private static SampleUnit unit(List<DatasetProbe> trained, SequenceSets sequences, Order order) {
        if (sequences.train().size() == trained.size()) {
            return sequences
                    .fill(order)
                    .map(fill -> SampleUnit.sequences(fill.tokens()))
                    .orElse(SampleUnit.SAMPLES);
        }
        SampleUnit first = trained.get(0).unit();
        return sequences.train().isEmpty()
                        && trained.stream().allMatch(one -> one.unit().equals(first))
                ? first
                : SampleUnit.SAMPLES;
    }

    /** A dataset that its view must not close, because others use it, too. */
    private static final class Borrowed extends ForwardingDataset {
        Borrowed(Dataset dataset) {
            super(dataset);
        }

        @Override
        public void close() {}
    }

    /** Inspects one training dataset and adds its remarks. */
    private static DatasetProbe training(PipelineConfig config, Dataset dataset, FieldTypes types, List<String> remarks)
            throws IOException, PipelineException {
        DatasetProbe probe = DatasetProbe.of(
                config,
                config.data().dataset().spec(),
                dataset,
                types,
                config.data().transforms(),
                null);
        Component model = Sinks.model(config.train(), probe.classes().size());
        requireClasses(config, model, probe);
        LabelCheck check = new LabelCheck(config, model, probe.wire());
        remarks.addAll(remarks(probe, check.remarks(probe.dataset(), dataset, dataset.labels())));
        return probe;
    }

    private static DatasetProbe mostClasses(List<DatasetProbe> probes) {
        return probes.stream()
                .max(Comparator.comparingInt(probe -> probe.classes().size()))
                .orElseThrow();
    }

    /** Requires that a dataset of a mixture has samples of the same kind as those before it. */
    private static void requireSameSamples(DatasetProbe probe, List<DatasetProbe> before) throws PipelineException {
        DatasetProbe first = before.get(0);
        requireSameRows("the datasets of a mixture", first, probe);
        requireSameClasses("all datasets of a mixture", mostClasses(before), probe);
        requireBoth("labels", first.labelled(), probe.labelled(), first, probe);
        requireBoth(
                "names of classes", !first.classes().isEmpty(), !probe.classes().isEmpty(), first, probe);
    }

    private static void requireBoth(String what, boolean one, boolean two, DatasetProbe first, DatasetProbe other)
            throws PipelineException {
        if (one != two) {
            throw new PipelineException("the datasets of a mixture must all have " + what + ", or none of them, but "
                    + (one ? first : other).dataset() + " has some and " + (one ? other : first).dataset()
                    + " has none");
        }
    }

    private static List<String> remarks(DatasetProbe probe, List<String> onLabels) {
        return Stream.concat(probe.remarks().stream(), onLabels.stream())
                .map(remark -> probe.dataset() + ": " + remark)
                .toList();
    }

    private static void requireSameRows(String both, DatasetProbe train, DatasetProbe evaluation)
            throws PipelineException {
        if (!evaluation.columns().equals(train.columns())
                || !evaluation.meanings().equals(train.meanings())) {
            throw new PipelineException(both + " must have the same columns after their transforms, but "
                    + train.key() + " in " + train.dataset() + " has " + describe(train) + " and "
                    + evaluation.key()
                    + " in " + evaluation.dataset() + " has " + describe(evaluation));
        }
    }

    private static String describe(DatasetProbe probe) {
        return probe.columns().stream()
                .map(column -> "'" + column.name() + "' " + column.describe()
                        + (probe.meanings().containsKey(column.name())
                                ? " as " + probe.meanings().get(column.name())
                                : ""))
                .collect(Collectors.joining(", "));
    }

    /** Requires equal class names, because the model sees only the label's number. */
    private static void requireSameClasses(String both, DatasetProbe train, DatasetProbe evaluation)
            throws PipelineException {
        List<String> classes = train.classes();
        for (int label = 0;
                label < Math.min(classes.size(), evaluation.classes().size());
                label++) {
            if (!classes.get(label).equals(evaluation.classes().get(label))) {
                throw new PipelineException("class " + label + " is '" + classes.get(label) + "' in "
                        + train.dataset() + ", but '" + evaluation.classes().get(label) + "' in " + evaluation.dataset()
                        + ": expected the same classes in " + both);
            }
        }
    }

    private static void requireClasses(PipelineConfig config, Component model, DatasetProbe probe)
            throws PipelineException {
        if (config.train().roles().target().equals(Roles.LABEL)
                && model.options().raw().get(Sinks.CLASSES) instanceof Number classes
                && classes.longValue() > 1 // with 1 output the label is a number to predict, see Losses
                && probe.classes().size() > classes.longValue()) {
            throw new PipelineException(
                    "dataset " + probe.dataset() + " has " + probe.classes().size()
                            + " classes, but the model " + model.name() + " has " + classes
                            + ": expected at least as many (train.model." + model.name() + ".classes)");
        }
    }
}
