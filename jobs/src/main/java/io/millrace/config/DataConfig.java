package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.order.BatchPlan;
import io.millrace.order.MixturePlan;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The training samples: their datasets, their order and the transforms that they go through.
 *
 * <p>Tested by {@code ConfigReaderTest} and {@code MixConfigTest}.
 *
 * @param sources the datasets, at least one; several only in a mixture
 * @param mix the shares of the datasets; empty where a run trains on one dataset without a mixture
 * @param epochs the number of passes over the dataset, or of epochs of {@code epochSteps} or of the mixture, or {@link BatchPlan#ENDLESS}
 * @param epochSteps the number of steps of an epoch of the only dataset, or {@link #PASS}; empty for a mixture and where the dataset decides
 * @param transforms the transforms of each sample on the data servers, in order
 * @param read the tuning of the source
 * @param python the Python of transforms and datasets, also of those for evaluation
 */
public record DataConfig(
        List<SourceConfig> sources,
        Optional<MixConfig> mix,
        int epochs,
        Optional<Long> epochSteps,
        OrderConfig order,
        List<TransformSpec> transforms,
        ReadConfig read,
        PythonConfig python)
        implements PipelineConfig.Part {
    static final Option<Object> DATASET = Option.of(
                    "dataset",
                    Types.structure("section"),
                    "The samples to train on. Either this key or datasets is required.")
            .optional();
    /** The value of {@code epochSteps} for epochs that are passes over the dataset, whatever must be counted for that. */
    public static final long PASS = Long.MAX_VALUE;

    private static final String ONE_PASS = "pass";
    private static final String WITHOUT_END = "endless";
    static final Option<Integer> EPOCHS = Option.of(
                    "epochs",
                    Types.countOr(WITHOUT_END, BatchPlan.ENDLESS),
                    "The number of passes over the dataset; endless: the run ends only when it is stopped. For serve,"
                            + " the default is endless.")
            .orElse(1)
            .decides(Identity.NOTHING)
            .alsoCalled("num_epochs", "n_epochs", "max_epochs", "num_train_epochs", "passes");
    static final Option<Long> EPOCH_STEPS = Option.of(
                    "epoch_steps",
                    MixConfig.countOr(ONE_PASS, PASS),
                    "The number of steps of an epoch, after which a run reports and evaluates. The dataset is gone through again and again,"
                            + " whenever it ends. pass: an epoch is one pass over the dataset, so that all documents of a text are counted"
                            + " before the run. Absent: pass, but about one pass where counting the documents that are packed would take long.")
            .optional()
            .decides(Identity.TRAINING)
            .alsoCalled("steps_per_epoch");
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms", Types.structure("list of transforms"), "The transforms of each sample, in order.")
            .optional()
            .decides(Identity.BATCHES);

    /** The keys of the section {@code dataset} besides those of its format. */
    static final List<Option<?>> DATASET_OPTIONS = Stream.concat(
                    DatasetConfig.OPTIONS.stream(), Stream.of(EPOCHS, EPOCH_STEPS))
            .toList();

    public DataConfig {
        sources = List.copyOf(sources);
        transforms = List.copyOf(transforms);
    }

    /** Makes a run without a number of epochs endless. */
    static void endlessByDefault(Tree.Mapping root) {
        Tree.Entry section = root.entries().get(DATASET.key());
        if (section != null && section.value() instanceof Tree.Mapping dataset) {
            SourceLocation location = dataset.location();
            dataset.entries().putIfAbsent(EPOCHS.key(), new Tree.Entry(location, new Tree.Leaf(location, WITHOUT_END)));
        }
    }

    /** Reads the keys of the training samples; empty when a problem was reported. */
    static Optional<DataConfig> read(Section root, OrderConfig order) {
        boolean mixed = root.entry(SourceConfig.SECTION).isPresent();
        Optional<List<SourceConfig>> sources = mixed
                ? SourceConfig.read(root)
                : DatasetConfig.read(root, DATASET, DATASET_OPTIONS)
                        .map(SourceConfig::only)
                        .map(List::of);
        if (mixed && root.entry(DATASET).isPresent()) {
            root.report(SourceConfig.SECTION, "expected either dataset or datasets, found both");
        } else if (!mixed && root.entry(DATASET).isEmpty()) {
            root.report(DATASET, "missing: " + DATASET.help());
        }
        Optional<MixConfig> mix = mixed ? MixConfig.read(root, names(sources)) : Optional.empty();
        if (!mixed && root.entry(MixConfig.MIX).isPresent()) {
            root.report(MixConfig.MIX, "expected datasets, whose shares these are, found none");
        }
        for (Option<?> setting : List.of(MixConfig.EPOCH, MixConfig.JITTER)) {
            if (!mixed && root.entry(setting).isPresent()) {
                root.report(setting, "expected datasets, which it is a setting of, found none");
            }
        }
        Optional<List<TransformSpec>> transforms = root.transforms(TRANSFORMS);
        ReadConfig read = root.section(ReadConfig.SECTION, ReadConfig.KEYS);
        PythonConfig python = PythonConfig.read(root);
        Optional<Integer> epochs = mixed ? mix.flatMap(found -> epochs(root, found)) : Optional.of(epochs(root));
        Optional<Long> epochSteps = root.entry(DATASET)
                .flatMap(entry -> Section.asMapping(entry.value()))
                .flatMap(mapping -> Section.value(mapping, EPOCH_STEPS));
        if (isNumber(epochSteps) && order.isDrawn()) {
            root.report(
                    OrderConfig.SECTION,
                    "samples are drawn by weight, in epochs of order.draws samples: expected draws in place of dataset.epoch_steps");
        }
        if (sources.isEmpty() || transforms.isEmpty() || (mixed && mix.isEmpty()) || epochs.isEmpty()) {
            return Optional.empty();
        }
        List<SourceConfig> completed = sources.get().stream()
                .map(source -> source.with(
                        python.complete(source.dataset(), order, root), python.complete(source.transforms(), root)))
                .toList();
        return Optional.of(new DataConfig(
                completed,
                mix,
                epochs.get(),
                epochSteps,
                order,
                python.complete(transforms.get(), root),
                read,
                python));
    }

    private static List<String> names(Optional<List<SourceConfig>> sources) {
        return sources.orElse(List.of()).stream().map(SourceConfig::name).toList();
    }

    /** Returns the number of epochs of a mixture; empty when a problem was reported. */
    private static Optional<Integer> epochs(Section root, MixConfig mix) {
        long steps = mix.plan().steps();
        if (steps == MixturePlan.OPEN) {
            return Optional.of(BatchPlan.ENDLESS);
        }
        long epoch = mix.epochSteps();
        if (steps % epoch != 0 || steps / epoch >= BatchPlan.ENDLESS) {
            root.report(
                    MixConfig.EPOCH,
                    "expected a number that divides the " + steps + " steps of the mix, found " + epoch);
            return Optional.empty();
        }
        return Optional.of((int) (steps / epoch));
    }

    /** Reads the number of epochs of a run with one dataset; without an end for a mixture. */
    static int epochs(Section root) {
        if (root.entry(SourceConfig.SECTION).isPresent()) {
            return BatchPlan.ENDLESS;
        }
        return root.entry(DATASET)
                .flatMap(entry -> Section.asMapping(entry.value()))
                .flatMap(mapping -> Section.value(mapping, EPOCHS))
                .orElse(1);
    }

    /**
     * Writes the keys of the training samples.
     *
     * @param onDevice the last of the file's transforms, if they run on the device
     */
    void write(WrittenConfig root, List<TransformSpec> onDevice) {
        if (mix.isEmpty()) {
            root.section(DATASET, this, DataConfig::writeDataset);
        } else {
            root.section(SourceConfig.SECTION, sources, SourceConfig::write);
            mix.get().write(root);
        }
        root.section(OrderConfig.SECTION, order, OrderConfig.KEYS)
                .transforms(TRANSFORMS, transforms, onDevice)
                .section(ReadConfig.SECTION, read, ReadConfig.KEYS)
                .section(PythonConfig.SECTION, python, PythonConfig::write);
    }

    private void writeDataset(WrittenConfig section) {
        dataset().write(section);
        if (epochs == BatchPlan.ENDLESS) {
            section.put(EPOCHS, WITHOUT_END);
        } else {
            section.put(EPOCHS, epochs);
        }
        section.put(EPOCH_STEPS, epochSteps.<Object>map(steps -> steps == PASS ? ONE_PASS : steps));
    }

    /**
     * Returns whether the random numbers of a sample are not those of the epoch of the run, because datasets have epochs of their own,
     * because steps are left out, or because samples are drawn by weight.
     */
    public boolean hasOwnRounds() {
        return isEndless() || isAboutAPass() || !order.skipSteps().isEmpty() || order.isDrawn();
    }

    /** Returns whether an epoch of the run is a number of steps, so that its datasets are gone through as often as it needs. */
    public boolean isEndless() {
        return mix.isPresent() || isNumber(epochSteps);
    }

    private static boolean isNumber(Optional<Long> epochSteps) {
        return epochSteps.isPresent() && epochSteps.get() != PASS;
    }

    /** Returns whether an epoch of the run is a number of steps if its only dataset would take long to count. */
    public boolean isAboutAPass() {
        return mix.isEmpty() && epochSteps.isEmpty() && transforms.stream().anyMatch(PackOptions::isPacking);
    }

    /** Returns the dataset of the run; the first one of a mixture. */
    public DatasetConfig dataset() {
        return sources.get(0).dataset();
    }

    /** Returns the same samples of another dataset, without a mixture. */
    public DataConfig withDataset(DatasetConfig other) {
        return new DataConfig(
                List.of(SourceConfig.only(other)),
                Optional.empty(),
                epochs,
                Optional.empty(),
                order,
                transforms,
                read,
                python);
    }

    /** Returns the samples of one dataset of a mixture, with its own transforms before the others. */
    DataConfig withOnly(SourceConfig source) {
        List<TransformSpec> all = new ArrayList<>(source.transforms());
        all.addAll(transforms);
        return new DataConfig(
                List.of(source.with(source.dataset(), List.of())),
                Optional.empty(),
                epochs,
                epochSteps,
                order,
                all,
                read,
                python);
    }

    /** Returns the same samples, of changed datasets. */
    DataConfig withSources(UnaryOperator<SourceConfig> change) {
        return new DataConfig(
                sources.stream().map(change).toList(), mix, epochs, epochSteps, order, transforms, read, python);
    }

    /**
     * Returns the same samples with another number of epochs. The last phase of a mixture goes on for as long as they last, and its
     * datasets are repeated as often as it needs.
     */
    public DataConfig withEpochs(int other) {
        List<SourceConfig> repeated = mix.isEmpty()
                ? sources
                : sources.stream()
                        .map(source -> new SourceConfig(
                                source.name(), source.dataset(), source.transforms(), Optional.empty()))
                        .toList();
        return new DataConfig(
                repeated, mix.map(MixConfig::endless), other, epochSteps, order, transforms, read, python);
    }

    /** Returns the same samples with other transforms. */
    public DataConfig withTransforms(List<TransformSpec> others) {
        return new DataConfig(sources, mix, epochs, epochSteps, order, others, read, python);
    }

    /** Returns the same samples in another order. */
    DataConfig with(OrderConfig other) {
        return new DataConfig(sources, mix, epochs, epochSteps, other, transforms, read, python);
    }

    /** Returns the same samples with another Python. */
    public DataConfig with(PythonConfig other) {
        return new DataConfig(sources, mix, epochs, epochSteps, order, transforms, read, other);
    }
}
