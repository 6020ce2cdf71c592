package io.millrace.pipeline;

import io.millrace.config.MixConfig;
import io.millrace.config.OrderConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.dataset.Dataset;
import io.millrace.order.BatchPlan;
import io.millrace.order.DrawnOrder;
import io.millrace.order.EpochOrder;
import io.millrace.order.Mixture;
import io.millrace.order.MixtureOrder;
import io.millrace.order.MixturePlan;
import io.millrace.order.Order;
import io.millrace.order.Permutation;
import io.millrace.order.SkippedSteps;
import io.millrace.order.SkippingOrder;
import io.millrace.order.Sources;
import io.millrace.order.WeightTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The order of a run's samples and their division into batches. Pure.
 *
 * <p>Tested by {@code RunPlannerTest} and {@code RunOrderTest}.
 */
record RunOrder(BatchPlan batches, Order order) {
    /**
     * Returns the order of a pipeline.
     *
     * @param sources the sizes of its training datasets
     * @param weights the weights with which the samples are drawn; empty when they are not drawn by weight
     * @param arrangement the arrangement of its rows; empty when they keep their order
     * @param round about how many samples a round of the only dataset has, where its epochs are to be about so long
     * @param evaluationSize the number of samples of its evaluation, 0 for none
     * @param remarks gets a sentence on the arrangement
     */
    static RunOrder of(
            PipelineConfig config,
            Sources sources,
            Optional<WeightTable> weights,
            Optional<RowArrangement> arrangement,
            OptionalLong round,
            long evaluationSize,
            List<String> remarks)
            throws PipelineException {
        int every = config.evaluate().map(evaluate -> evaluate.every()).orElse(1);
        int rows = rows(config);
        try {
            Optional<String> epoch = epochSetting(config, sources);
            Order whole = epoch.isPresent()
                    ? mixed(config, sources, rows, epoch.get(), epochSteps(config, round, rows, remarks))
                    : single(config, sources, weights);
            BatchPlan plan = new BatchPlan(
                    whole.size(), rows, config.batch().dropLast(), config.data().epochs(), evaluationSize, every);
            BatchPlan batches = Sinks.rows(config, plan).plan();
            SkippedSteps skipped = config.data().order().skipped();
            Order arranged = arrangement.isPresent() ? arrangement.get().arrange(whole, remarks) : whole;
            Order order = skipped.count() == 0
                    ? arranged
                    : new SkippingOrder(arranged, skipped, batches.trainSamples(), batches.batch());
            if (skipped.count() > 0) {
                requireReached(config, skipped, batches);
            }
            if (whole instanceof MixtureOrder mixture) {
                requireEnough(config, mixture, sources, batches, skipped);
            }
            return new RunOrder(batches, order);
        } catch (IllegalArgumentException e) {
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the number of rows of a batch of all ranks. */
    static int rows(PipelineConfig config) throws PipelineException {
        try {
            return Math.multiplyExact(
                    config.batch().size(), Sinks.split(config.train().trainers()));
        } catch (ArithmeticException e) {
            throw new PipelineException(
                    "batch.size " + config.batch().size() + " times "
                            + config.train().trainers().ranks() + " ranks is over " + Integer.MAX_VALUE
                            + " rows: set a smaller one",
                    e);
        }
    }

    /** Returns the setting with the number of steps of an epoch; empty where an epoch is a pass over the only dataset. */
    static Optional<String> epochSetting(PipelineConfig config, Sources sources) {
        if (config.data().mix().isPresent()) {
            return Optional.of("mix_epoch");
        }
        return config.data().isEndless() || sources.get(0).isEndless()
                ? Optional.of("dataset.epoch_steps")
                : Optional.empty();
    }

    private static long epochSteps(PipelineConfig config, OptionalLong round, int rows, List<String> remarks) {
        Optional<Long> set = config.data().mix().map(MixConfig::epochSteps).or(() -> config.data()
                .epochSteps());
        if (set.isPresent()) {
            return set.get();
        }
        long steps = Math.max(1, round.orElseThrow() / rows);
        remarks.add(String.format(
                Locale.ROOT,
                "%s: an epoch has %,d steps, about one pass over the documents, so that the run begins before all are counted."
                        + " dataset.epoch_steps sets another number; with pass, an epoch is exactly one pass, after a count",
                config.data().dataset().spec().path(),
                steps));
        return steps;
    }

    /** Returns the sizes of the training datasets. */
    static Sources sources(PipelineConfig config, List<Dataset> datasets) {
        List<Sources.Source> sources = new ArrayList<>();
        long first = 0;
        for (int source = 0; source < datasets.size(); source++) {
            Dataset dataset = datasets.get(source);
            long size = dataset.size();
            long indexes = dataset.indexInWhole(size - 1) + 1; // a part keeps the indexes of the whole dataset
            sources.add(new Sources.Source(config.data().sources().get(source).name(), size, first, indexes));
            first += indexes;
        }
        return new Sources(sources);
    }

    private static Order single(PipelineConfig config, Sources sources, Optional<WeightTable> weights)
            throws PipelineException {
        OrderConfig order = config.data().order();
        if (weights.isPresent()) {
            return new DrawnOrder(
                    order.seed(), order.draws().map(Integer::longValue).orElse(sources.size()), weights.get());
        }
        try {
            return new EpochOrder(order.seed(), sources.size(), SequencePacks.shuffle(config));
        } catch (IllegalArgumentException e) { // the blocks are too small for so large a dataset
            throw new PipelineException("order.shuffle: " + e.getMessage(), e);
        }
    }

    private static MixtureOrder mixed(PipelineConfig config, Sources sources, int rows, String key, long steps)
            throws PipelineException {
        OrderConfig order = config.data().order();
        List<PipelineConfig> configs = config.bySource();
        List<String> names = sources.list().stream().map(Sources.Source::name).toList();
        Optional<MixConfig> mix = config.data().mix();
        Mixture mixture;
        long size;
        try {
            mixture = mix.map(MixConfig::plan)
                    .orElseGet(() -> MixturePlan.of(names.get(0)))
                    .endless()
                    .mixture(names, rows, mix.map(MixConfig::jitter).orElse(1), order.seed());
            size = Math.multiplyExact(steps, rows);
        } catch (IllegalArgumentException e) {
            throw new PipelineException(
                    config.places()
                            .problem("mix", String.valueOf(e.getMessage()))
                            .orElse("mix: " + e.getMessage()),
                    e);
        } catch (ArithmeticException e) {
            throw new PipelineException(key + ": " + steps + " steps of " + rows + " samples are too many", e);
        }
        if (size > Permutation.MAX_SIZE) {
            throw new PipelineException(key + ": an epoch of " + steps + " steps has " + size
                    + " samples, expected at most " + Permutation.MAX_SIZE + ": set " + key
                    + " to a smaller number of steps");
        }
        return new MixtureOrder(
                order.seed(),
                size,
                mixture,
                IntStream.range(0, sources.count())
                        .mapToObj(source -> new MixtureOrder.Source(
                                sources.get(source).size(), SequencePacks.shuffle(configs.get(source))))
                        .toList());
    }

    /** Requires that the run has the steps that it leaves out. */
    private static void requireReached(PipelineConfig config, SkippedSteps skipped, BatchPlan batches)
            throws PipelineException {
        SkippedSteps.Gap last = skipped.gaps().get(skipped.gaps().size() - 1);
        if (last.from() - last.before() >= batches.steps()) {
            String sentence = "expected steps of the run, which has " + batches.steps() + ", found "
                    + (last.from() - last.before());
            throw new PipelineException(
                    config.places().problem("order.skip_steps", sentence).orElse("order.skip_steps: " + sentence));
        }
    }

    /** Requires that no dataset has to be repeated more often than it may. */
    private static void requireEnough(
            PipelineConfig config, MixtureOrder order, Sources sources, BatchPlan batches, SkippedSteps skipped)
            throws PipelineException {
        long[] sizes = sources.list().stream().mapToLong(Sources.Source::size).toArray();
        int[] rounds = config.data().sources().stream()
                .mapToInt(source -> source.maxRepeats()
                        .map(repeats -> (int) Math.min(Integer.MAX_VALUE, repeats + 1L))
                        .orElse(Integer.MAX_VALUE))
                .toArray();
        Optional<Mixture.Exhaustion> exhausted = order.mixture().exhausted(sizes, rounds);
        if (exhausted.isEmpty()) {
            return;
        }
        boolean endless = batches.epochs() == BatchPlan.ENDLESS;
        SourceConfig source = config.data().sources().get(exhausted.get().source());
        if (endless && source.maxRepeats().isEmpty()) { // more than 2^31 rounds, which no run lasts for
            return;
        }
        long step = skipped.inRun(exhausted.get().position() / batches.batch());
        if (step >= batches.steps()) {
            return;
        }
        String sentence = String.format(
                Locale.ROOT,
                "the dataset has %,d samples and is repeated at most %,d times, so that it runs out in step %,d; the run has %s steps."
                        + " Allow more repeats, or give it a smaller weight",
                sizes[exhausted.get().source()],
                source.maxRepeats().orElse(Integer.MAX_VALUE),
                step,
                endless ? "endless" : String.format(Locale.ROOT, "%,d", batches.steps()));
        throw new PipelineException(config.places()
                .problem(source.section() + ".max_repeats", sentence)
                .orElse(source.section() + ": " + sentence));
    }
}
