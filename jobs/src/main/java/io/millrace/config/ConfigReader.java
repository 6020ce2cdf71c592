package io.millrace.config;

import io.millrace.config.ParallelismType.Parallelism;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.Option;
import io.millrace.sink.Events;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpec.Kernels;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.train.spec.TrainSpec.Precision;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads pipeline files. All problems of a file and its overrides are found in one go, each with its line and key.
 *
 * <p>Static methods without state: any thread may call them.
 */
public final class ConfigReader {
    private final Catalogs catalogs;
    private final Problems problems;
    private final ChoiceReader choices;
    private final ChoiceReader stages;
    private final DatasetReader datasets;
    private final TrainersReader trainers;

    private ConfigReader(Catalogs catalogs, Problems problems) {
        this.catalogs = catalogs;
        this.problems = problems;
        this.choices = new ChoiceReader(problems);
        this.stages = ChoiceReader.ofTransforms(problems);
        this.datasets = new DatasetReader(catalogs, choices, problems);
        this.trainers = new TrainersReader(catalogs, choices, problems);
    }

    /**
     * Reads a pipeline file, with what is on the class path to choose from.
     *
     * @param overrides {@code key=value} each, as {@code batch.size=32} or {@code transforms.1.Resize.size=[64, 64]};
     *     later ones win
     * @throws ConfigException with all problems
     */
    public static PipelineConfig read(Path file, List<String> overrides) throws ConfigException {
        return read(file, overrides, Catalogs.installed());
    }

    /** As {@link #read(Path, List)}, with the catalogs to choose from. */
    public static PipelineConfig read(Path file, List<String> overrides, Catalogs catalogs) throws ConfigException {
        Problems problems = new Problems();
        Optional<Tree> tree =
                ConfigText.read(file, problems).flatMap(text -> YamlTree.ofFile(file.toString(), text, problems));
        Optional<Tree.Mapping> root = tree.flatMap(t -> root(file, t, problems));
        Tree.Mapping mapping = root.orElseGet(() -> Tree.Mapping.empty(new SourceLocation(file.toString(), 0)));
        Overrides overriding = new Overrides(problems);
        overrides.forEach(override -> overriding.apply(mapping, override));
        if (root.isEmpty()) {
            // Without a tree every key would be reported as missing, which says nothing.
            problems.check();
        }
        Optional<PipelineConfig> config = new ConfigReader(catalogs, problems).pipeline(mapping, file);
        problems.check();
        return config.orElseThrow(() -> new IllegalStateException("nothing wrong and nothing read in " + file));
    }

    private static Optional<Tree.Mapping> root(Path file, Tree tree, Problems problems) {
        if (tree instanceof Tree.Mapping mapping) {
            return Optional.of(new Tree.Mapping(new SourceLocation(file.toString(), 1), mapping.entries()));
        }
        String found = tree.raw() == null ? "found nothing: the file is empty" : "found " + Section.describe(tree);
        problems.add(tree.place(), "", "expected the keys of a pipeline, " + found);
        return Optional.empty();
    }

    private Optional<PipelineConfig> pipeline(Tree.Mapping tree, Path file) {
        Section root = new Section("", tree, PipelineConfig.OPTIONS, problems);
        String name = root.find(PipelineConfig.NAME).orElseGet(() -> nameOf(file));
        Optional<Tree.Mapping> data = root.mapping(PipelineConfig.DATASET);
        Optional<DatasetConfig> dataset = data.flatMap(
                mapping -> datasets.read(mapping, root.pathOf(PipelineConfig.DATASET), List.of(PipelineConfig.EPOCHS)));
        int epochs = data.flatMap(mapping -> Section.value(mapping, PipelineConfig.EPOCHS))
                .orElse(1);
        Section order = root.section(PipelineConfig.ORDER, OrderConfig.OPTIONS);
        long seed = order.get(OrderConfig.SEED);
        Optional<List<TransformSpec>> transforms = transforms(root, PipelineConfig.TRANSFORMS);
        StagesConfig stages = new StagesReader(problems)
                .read(root, root.entry(PipelineConfig.TRANSFORMS).map(Tree.Entry::value));
        Section batch = root.section(PipelineConfig.BATCH, BatchConfig.OPTIONS);
        Section read = root.section(PipelineConfig.READ, ReadConfig.OPTIONS);
        Section device = root.section(PipelineConfig.DEVICE, DeviceConfig.OPTIONS);
        Optional<List<Part>> deviceTransforms = this.stages.list(
                device.entry(DeviceConfig.TRANSFORMS),
                device.pathOf(DeviceConfig.TRANSFORMS),
                "device transform",
                catalogs.deviceTransforms());
        checkPrecision(device);
        checkSimulated(device, SimulatedConfig.read(device));
        Optional<TrainConfig> train =
                root.findSection(PipelineConfig.TRAIN, TrainConfig.OPTIONS).flatMap(section -> train(section, seed));
        Optional<EvaluateConfig> evaluate = root.findSection(PipelineConfig.EVALUATE, EvaluateConfig.OPTIONS)
                .flatMap(section -> evaluate(section, epochs));
        TrainersConfig trainers = this.trainers.read(root);
        train.ifPresent(t -> this.trainers.check(root, t.ranks().size(), trainers));
        RecoveryConfig recovery = recovery(root);
        Section run = root.section(PipelineConfig.RUN, RunConfig.OPTIONS);
        Path folder = run.find(RunConfig.FOLDER).orElseGet(() -> Path.of("runs", name));
        Parallelism parallelism = root.find(PipelineConfig.PARALLELISM).orElse(Parallelism.STANDARD);
        StorageOptions storage = StorageConfig.read(root.section(PipelineConfig.STORAGE, StorageConfig.OPTIONS));
        if (dataset.isEmpty() || transforms.isEmpty() || deviceTransforms.isEmpty() || train.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new PipelineConfig(
                name,
                dataset.get().through(storage),
                epochs,
                new OrderConfig(seed, order.get(OrderConfig.SHUFFLE)),
                stages,
                parallelism.number(),
                StagesReader.areChosen(root) ? parallelism.auto().and(AutoConfig.Part.STAGES) : parallelism.auto(),
                transforms.get(),
                new BatchConfig(
                        batch.get(BatchConfig.SIZE),
                        batch.get(BatchConfig.DROP_LAST),
                        batch.get(BatchConfig.MAX_QUARANTINED),
                        batch.find(BatchConfig.FIELDS).orElse(List.of()),
                        batch.find(BatchConfig.WIRE).orElse(Map.of())),
                new ReadConfig(
                        read.find(ReadConfig.RANGE),
                        read.find(ReadConfig.WINDOW),
                        read.find(ReadConfig.READ_AHEAD),
                        read.find(ReadConfig.THREADS)),
                new DeviceConfig(
                        device.get(DeviceConfig.KIND),
                        deviceTransforms.get(),
                        device.get(DeviceConfig.MEMORY_FORMAT),
                        device.get(DeviceConfig.PRECISION),
                        device.get(DeviceConfig.DETERMINISTIC) ? Kernels.REPRODUCIBLE : Kernels.FASTEST,
                        device.get(DeviceConfig.BATCHES_IN_FLIGHT),
                        GpuConfig.read(device),
                        SimulatedConfig.read(device)),
                train.get(),
                evaluate.map(e -> new EvaluateConfig(e.dataset().through(storage), e.transforms(), e.every())),
                trainers,
                root.findSection(PipelineConfig.PLACEMENT, PlacementConfig.OPTIONS)
                        .map(PlacementConfig::read),
                recovery,
                new RunConfig(
                        folder,
                        run.find(RunConfig.WEB_PORT),
                        root.get(PipelineConfig.TENSORBOARD) ? Events.WRITTEN : Events.NONE),
                root.find(PipelineConfig.FLINK).orElse(Map.of())));
    }

    private void checkPrecision(Section device) {
        if (device.get(DeviceConfig.KIND) == DeviceConfig.Kind.HOST
                && device.get(DeviceConfig.PRECISION) == Precision.TF32) {
            problems.add(
                    device.entry(DeviceConfig.PRECISION)
                            .map(entry -> entry.value().place())
                            .orElse(device.place()),
                    device.pathOf(DeviceConfig.PRECISION),
                    "tf32 is a way of CUDA devices to multiply, which processors do not have: expected float32 or bfloat16"
                            + " with kind: host");
        }
    }

    /** What is simulated stands for a device on the host: a GPU that is asked for is not silently another. */
    private void checkSimulated(Section device, SimulatedConfig simulated) {
        boolean any = simulated.device().isPresent() || !simulated.step().isZero();
        if (any && device.get(DeviceConfig.KIND) == DeviceConfig.Kind.CUDA) {
            problems.add(
                    device.entry(DeviceConfig.KIND)
                            .map(entry -> entry.value().place())
                            .orElse(device.place()),
                    device.pathOf(DeviceConfig.KIND),
                    "what simulated_bandwidth, simulated_latency and simulated_step make slower is the host: expected auto"
                            + " or host, found cuda");
        }
    }

    private Optional<List<TransformSpec>> transforms(Section section, Option<Object> option) {
        return stages.list(section.entry(option), section.pathOf(option), "transform", catalogs.transforms())
                .map(parts -> parts.stream()
                        .map(part -> new TransformSpec(part.name(), part.options()))
                        .toList());
    }

    private Optional<TrainConfig> train(Section section, long seed) {
        Optional<Part> model = section.entry(TrainConfig.MODEL)
                .flatMap(e -> choices.one(e.value(), section.pathOf(TrainConfig.MODEL), "model", catalogs.models()));
        Optional<Part> loss = part(section, TrainConfig.LOSS, catalogs.losses());
        Optional<Part> optimizer = part(section, TrainConfig.OPTIMIZER, catalogs.optimizers());
        Optional<Part> schedule = part(section, TrainConfig.SCHEDULE, catalogs.schedules());
        if (model.isEmpty() || loss.isEmpty() || optimizer.isEmpty() || schedule.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new TrainConfig(
                model.get(),
                new Roles(section.get(TrainConfig.INPUT), section.get(TrainConfig.TARGET)),
                loss.get(),
                optimizer.get(),
                schedule.get(),
                TrainConfig.updates(section),
                section.get(TrainConfig.THREADS),
                section.find(TrainConfig.SEED).orElse(seed),
                trainers.own(section)));
    }

    private Optional<Part> part(Section section, Option<Object> option, List<CatalogEntry> known) {
        Tree tree = section.entry(option)
                .map(Tree.Entry::value)
                .orElseGet(() -> new Tree.Leaf(section.place(), option.fallback()));
        return choices.one(tree, section.pathOf(option), option.key(), known);
    }

    private Optional<EvaluateConfig> evaluate(Section section, int epochs) {
        Optional<DatasetConfig> dataset = section.mapping(EvaluateConfig.DATASET)
                .flatMap(mapping -> datasets.read(mapping, section.pathOf(EvaluateConfig.DATASET), List.of()));
        Optional<List<TransformSpec>> transforms = transforms(section, EvaluateConfig.TRANSFORMS);
        int every = section.get(EvaluateConfig.EVERY);
        if (every > epochs) {
            SourceLocation place = section.entry(EvaluateConfig.EVERY)
                    .map(entry -> entry.value().place())
                    .orElse(section.place());
            problems.add(
                    place,
                    section.pathOf(EvaluateConfig.EVERY),
                    "expected at most the number of epochs, " + epochs + ", else nothing is evaluated; found " + every);
        }
        if (dataset.isEmpty() || transforms.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new EvaluateConfig(dataset.get(), transforms.get(), every));
    }

    private RecoveryConfig recovery(Section root) {
        Optional<CheckpointConfig> checkpoint = off(root.entry(PipelineConfig.CHECKPOINT))
                ? Optional.empty()
                : Optional.of(CheckpointConfig.read(root.section(PipelineConfig.CHECKPOINT, CheckpointConfig.OPTIONS)));
        return new RecoveryConfig(
                checkpoint,
                root.findSection(PipelineConfig.RESTART, RestartConfig.OPTIONS).map(RestartConfig::read),
                root.get(PipelineConfig.LEDGER));
    }

    /** YAML readers differ on whether the word is a truth value. */
    private static boolean off(Optional<Tree.Entry> entry) {
        Object raw = entry.map(Tree.Entry::value).map(Tree::raw).orElse(null);
        return "off".equals(raw) || Boolean.FALSE.equals(raw);
    }

    /** The file's name without its extension, with what cannot be in a name replaced. */
    private static String nameOf(Path file) {
        Path last = file.getFileName();
        String name = (last == null ? "" : last.toString()).replaceFirst("(?<=.)\\.[A-Za-z]+$", "");
        String cleaned = name.replaceAll("[^A-Za-z0-9._-]+", "-").replaceFirst("^[^A-Za-z0-9]+", "");
        return cleaned.isEmpty() ? "pipeline" : cleaned;
    }
}
