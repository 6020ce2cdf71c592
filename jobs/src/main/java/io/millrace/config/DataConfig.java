package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.order.BatchPlan;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The training samples: their dataset, their order and the transforms that they go through.
 *
 * @param epochs the number of passes over the dataset, or {@link BatchPlan#ENDLESS}
 * @param transforms the transforms of each sample on the data servers, in order
 * @param read the tuning of the source
 * @param python the Python of transforms and datasets, also of those for evaluation
 */
public record DataConfig(
        DatasetConfig dataset,
        int epochs,
        OrderConfig order,
        List<TransformSpec> transforms,
        ReadConfig read,
        PythonConfig python)
        implements PipelineConfig.Part {
    static final Option<Object> DATASET = Option.of("dataset", Types.structure("section"), "The samples to train on.");
    private static final String WITHOUT_END = "endless";
    static final Option<Integer> EPOCHS = Option.of(
                    "epochs",
                    Types.countOr(WITHOUT_END, BatchPlan.ENDLESS),
                    "The number of passes over the dataset; endless: the run ends only when it is stopped. For serve,"
                            + " the default is endless.")
            .orElse(1)
            .decides(Identity.NOTHING)
            .alsoCalled("num_epochs", "n_epochs", "max_epochs", "num_train_epochs", "passes");
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms", Types.structure("list of transforms"), "The transforms of each sample, in order.")
            .optional()
            .decides(Identity.BATCHES);

    /** The keys of the section {@code dataset} besides those of its format. */
    static final List<Option<?>> DATASET_OPTIONS =
            Stream.concat(DatasetConfig.OPTIONS.stream(), Stream.of(EPOCHS)).toList();

    public DataConfig {
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
        Optional<DatasetConfig> dataset = DatasetConfig.read(root, DATASET, DATASET_OPTIONS);
        Optional<List<TransformSpec>> transforms = root.transforms(TRANSFORMS);
        ReadConfig read = root.section(ReadConfig.SECTION, ReadConfig.KEYS);
        PythonConfig python = PythonConfig.read(root);
        if (dataset.isEmpty() || transforms.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new DataConfig(
                python.complete(dataset.get(), order, root),
                epochs(root),
                order,
                python.complete(transforms.get(), root),
                read,
                python));
    }

    /** Reads the number of epochs. */
    static int epochs(Section root) {
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
        root.section(DATASET, this, DataConfig::writeDataset)
                .section(OrderConfig.SECTION, order, OrderConfig.KEYS)
                .transforms(TRANSFORMS, transforms, onDevice)
                .section(ReadConfig.SECTION, read, ReadConfig.KEYS)
                .section(PythonConfig.SECTION, python, PythonConfig::write);
    }

    private void writeDataset(WrittenConfig section) {
        dataset.write(section);
        if (epochs == BatchPlan.ENDLESS) {
            section.put(EPOCHS, WITHOUT_END);
        } else {
            section.put(EPOCHS, epochs);
        }
    }

    /** Returns the same samples of another dataset. */
    public DataConfig withDataset(DatasetConfig other) {
        return new DataConfig(other, epochs, order, transforms, read, python);
    }

    /** Returns the same samples with another number of epochs. */
    public DataConfig withEpochs(int other) {
        return new DataConfig(dataset, other, order, transforms, read, python);
    }

    /** Returns the same samples with other transforms. */
    public DataConfig withTransforms(List<TransformSpec> others) {
        return new DataConfig(dataset, epochs, order, others, read, python);
    }

    /** Returns the same samples in another order. */
    DataConfig with(OrderConfig other) {
        return new DataConfig(dataset, epochs, other, transforms, read, python);
    }

    /** Returns the same samples with another Python. */
    public DataConfig with(PythonConfig other) {
        return new DataConfig(dataset, epochs, order, transforms, read, other);
    }
}
