package io.millrace.python;

import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.option.TimeSpan;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The format {@code python}, which reads the items of a dataset of the user, for example one of torchvision. */
public final class PythonDatasetFormat implements DatasetFormat {
    /** The format's name in pipeline files. */
    public static final String NAME = "python";

    private static final Option<String> DATASET = Option.of(
                    "dataset",
                    PythonOptions.object("module:name, such as data:Photos"),
                    "The dataset, as module:name: a class or function that makes it, or the dataset itself.")
            .decides(Identity.BATCHES);

    private static final Option<Map<?, ?>> ARGS = Option.of(
                    "args", PythonOptions.ARGUMENTS, "The keyword arguments of the class or function.")
            .optional()
            .decides(Identity.BATCHES);

    /** The option for the number of worker processes of each slot. */
    public static final Option<Integer> WORKERS = PythonOptions.workers("The number of processes for each slot.");

    private static final Option<Boolean> SEED = Option.of(
                    "seed",
                    OptionType.BOOLEAN,
                    "Whether the global generators of random, numpy and torch are seeded before each item.")
            .orElse(true)
            .decides(Identity.BATCHES);

    private static final Option<TimeSpan> TIMEOUT = PythonOptions.timeout("The time after which an item has failed.");

    private static final Option<TimeSpan> START_TIMEOUT =
            PythonOptions.startTimeout("The time in which the modules must be imported and the dataset must be made.");

    private static final Option<Boolean> COMPARE = Option.of(
                    "compare",
                    OptionType.BOOLEAN,
                    "Whether some items are compared between the processes that make the dataset, and with the run that is"
                            + " continued. A difference ends the run.")
            .orElse(true)
            .decides(Identity.NOTHING);

    private static final Option<Long> INIT_SEED = Option.of(
                    "init_seed",
                    OptionType.LONG,
                    "The seed of the global generators while the dataset is made, in each process the same."
                            + " Default: order.seed.")
            .optional()
            .decides(Identity.NOTHING);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of(
                "python (a dataset class of yours that reads it)",
                "voc",
                "yolo",
                "torch",
                "pytorch",
                "torchvision",
                "custom",
                "map",
                "dataset");
    }

    @Override
    public String help() {
        return "The items of a Python dataset with __len__ and __getitem__, read in processes of the slots.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(
                DATASET,
                ARGS,
                FieldSources.FIELDS,
                Labels.CLASSES,
                WORKERS,
                SEED,
                TIMEOUT,
                START_TIMEOUT,
                INIT_SEED,
                COMPARE,
                PythonOptions.EXECUTABLE,
                PythonOptions.PATH);
    }

    @Override
    public String place(OptionValues options) {
        return options.get(DATASET);
    }

    /** Returns options whose seed for the making of the dataset is this one, unless they have one. */
    public static OptionValues withInitSeed(OptionValues options, long seed) {
        return options.find(INIT_SEED).isPresent() ? options : options.with(INIT_SEED, seed);
    }

    @Override
    public PythonDataset open(OptionValues options) throws IOException {
        return open(options, StorageOptions.STANDARD);
    }

    @Override
    public PythonDataset open(OptionValues options, StorageOptions storage) throws IOException {
        UnpackedModules modules =
                UnpackedModules.of(options.find(PythonOptions.PATH).orElse(List.of()), ModuleArchives.in(options));
        DatasetTask task = new DatasetTask(
                "python-dataset",
                new Interpreter(options.find(PythonOptions.EXECUTABLE)),
                modules.paths(),
                options.get(DATASET),
                options.find(ARGS).orElse(null),
                options.find(FieldSources.FIELDS),
                options.get(SEED),
                options.find(INIT_SEED).orElse(0L),
                options.get(TIMEOUT).duration(),
                options.get(START_TIMEOUT).duration());
        return PythonDataset.open(
                task,
                options.get(WORKERS),
                options.find(Labels.CLASSES).orElse(List.of()),
                options.get(COMPARE) ? PythonDataset.Comparison.ON : PythonDataset.Comparison.OFF,
                modules);
    }
}
