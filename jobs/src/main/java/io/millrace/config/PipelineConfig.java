package io.millrace.config;

import io.millrace.dataset.StorageOptions;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.order.BatchPlan;
import io.millrace.order.Shuffle;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A checked pipeline file. {@link ConfigReader} makes it. Each part reads and writes its own keys, whose options are
 * declared beside it.
 *
 * <p>Tested by {@code ConfigReaderTest} and {@code DeclaredOptionsTest}.
 *
 * @param run the run's name, its folder and its settings of Flink
 * @param data the training samples
 * @param evaluate empty when nothing is evaluated
 * @param batch the batch that one training step consumes
 * @param train the model, its recipe and the trainers
 * @param device the device that trains
 * @param slots the Flink slots of the stages
 * @param recovery the protection against failures
 * @param places the places of the settings in the file, for messages about values that turn out wrong later
 */
public record PipelineConfig(
        RunConfig run,
        DataConfig data,
        Optional<EvaluateConfig> evaluate,
        BatchConfig batch,
        TrainConfig train,
        DeviceConfig device,
        SlotsConfig slots,
        RecoveryConfig recovery,
        KeyPlaces places) {
    /** The keys at the top level, in the order of the documentation and of {@link #toMap}. */
    static final List<Option<?>> OPTIONS = List.of(
            RunConfig.NAME,
            DataConfig.DATASET,
            SourceConfig.SECTION,
            MixConfig.MIX,
            MixConfig.EPOCH,
            MixConfig.JITTER,
            OrderConfig.SECTION,
            StagesConfig.STAGES,
            SlotsConfig.PARALLELISM,
            DataConfig.TRANSFORMS,
            BatchConfig.SECTION,
            ReadConfig.SECTION,
            PythonConfig.SECTION,
            DeviceConfig.SECTION,
            TrainConfig.SECTION,
            EvaluateConfig.SECTION,
            TrainersConfig.RANKS,
            TrainersConfig.SHARE,
            TrainersConfig.REPLICAS,
            PlacementConfig.SECTION,
            CheckpointConfig.SECTION,
            RestartConfig.SECTION,
            RecoveryConfig.LEDGER,
            RunConfig.TENSORBOARD,
            RunConfig.SECTION,
            StorageConfig.SECTION,
            RunConfig.FLINK);

    /**
     * Reads a whole file; empty when a problem was reported.
     *
     * @param places the places of the settings in the file
     * @param fileName the name of the run when the file has none
     */
    static Optional<PipelineConfig> read(Section root, KeyPlaces places, String fileName) {
        OrderConfig order = OrderConfig.read(root);
        Optional<DataConfig> data = DataConfig.read(root, order);
        SlotsConfig slots = SlotsConfig.read(root);
        BatchConfig batch = root.section(BatchConfig.SECTION, BatchConfig.KEYS);
        Optional<DeviceConfig> device = DeviceConfig.read(root.section(DeviceConfig.SECTION, DeviceConfig.OPTIONS));
        Optional<TrainConfig> train = TrainConfig.read(root, order.seed());
        Optional<EvaluateConfig> evaluate = root.findSection(EvaluateConfig.SECTION, EvaluateConfig.OPTIONS)
                .flatMap(section -> EvaluateConfig.read(
                        section,
                        data.map(DataConfig::epochs).orElseGet(() -> DataConfig.epochs(root)),
                        data,
                        PartsConfig.names(root)));
        RecoveryConfig recovery = RecoveryConfig.read(root);
        RunConfig run = RunConfig.read(root, fileName);
        StorageOptions storage = StorageConfig.read(root);
        if (data.isEmpty() || device.isEmpty() || train.isEmpty()) {
            return Optional.empty();
        }
        if (slots.stages().mode() == StagesConfig.Mode.ONE_TASK) {
            requireOneTask(root, train.get(), device.get());
        }
        return Optional.of(new PipelineConfig(
                run,
                data.get()
                        .withSources(source -> source.with(source.dataset().withStorage(storage), source.transforms())),
                evaluate.map(found -> found.withDataset(
                                data.get().python().complete(found.dataset().withStorage(storage), order, root))
                        .withTransforms(data.get().python().complete(found.transforms(), root))),
                batch,
                train.get(),
                device.get(),
                slots,
                recovery,
                places));
    }

    /** Reports what a single task cannot do. */
    private static void requireOneTask(Section root, TrainConfig train, DeviceConfig device) {
        if (train.trainers().ranks() > 1) {
            root.report(
                    StagesConfig.STAGES,
                    "one_task needs a single trainer, found " + train.trainers().ranks() + " ranks");
        }
        if (device.simulated().network().isPresent()) {
            root.report(StagesConfig.STAGES, "one_task has no network, so device.simulated_network has no effect");
        }
    }

    /**
     * Returns the whole configuration as the keys and values of a pipeline file, defaults included: strings, numbers,
     * booleans, lists and maps. Secrets of {@code flink}, and passwords in addresses, are masked.
     */
    public Map<String, Object> toMap() {
        Map<String, Object> all = written();
        all.replaceAll((key, value) -> Secrets.maskedValue(value));
        return all;
    }

    /**
     * Returns the values that decide the identity of a run, as {@link #toMap} writes them, by the paths of their keys, such as
     * {@code order.seed}.
     *
     * @param parts the parts of the identity
     */
    public Map<String, Object> identity(Set<Identity> parts) {
        Map<String, Object> all = toMap();
        Map<String, Object> identity = new TreeMap<>();
        for (SectionKeys section : SectionKeys.all()) {
            for (Option<?> option : section.options()) {
                String path = YamlTree.join(section.path(), option.key());
                Object value = option.identity() != null && parts.contains(option.identity())
                        ? at(all, List.of(path.split("[.]", -1)))
                        : null;
                if (value != null) {
                    identity.put(path, value);
                }
            }
        }
        if (parts.contains(Identity.BATCHES)) {
            data.sources().forEach(source -> identity.putAll(source.identity()));
        }
        if (parts.contains(Identity.TRAINING)) {
            evaluate.ifPresent(config -> identity.putAll(config.dataset()
                    .identity(YamlTree.join(EvaluateConfig.SECTION.key(), EvaluateConfig.DATASET.key()))));
        }
        return identity;
    }

    /** Returns the value at a path of keys; below a list, the values of all its sections. Null when there is none. */
    private static @Nullable Object at(@Nullable Object value, List<String> path) {
        if (path.isEmpty() || value == null) {
            return value;
        }
        if (value instanceof List<?> sections) {
            List<Object> values = new ArrayList<>();
            sections.forEach(section -> values.add(at(section, path)));
            return values.stream().allMatch(Objects::isNull) ? null : values;
        }
        return value instanceof Map<?, ?> map ? at(map.get(path.get(0)), path.subList(1, path.size())) : null;
    }

    /**
     * Returns the keys whose values are unknown, such as {@code dataset.path} and {@code flink.s3.secret-key}. A configuration
     * that was read from the output of {@link #toMap} has such keys, because secrets are left out there.
     */
    public List<String> maskedSecrets() {
        Map<String, Object> all = written();
        all.put(RunConfig.FLINK.key(), new TreeMap<>(run.flink()));
        return Secrets.maskedKeys(all);
    }

    private Map<String, Object> written() {
        WrittenConfig root = new WrittenConfig();
        data.write(root, device.placed().train());
        slots.write(root);
        root.section(BatchConfig.SECTION, batch, BatchConfig.KEYS)
                .section(DeviceConfig.SECTION, device, DeviceConfig::write);
        train.write(root);
        evaluate.ifPresent(config -> root.section(
                EvaluateConfig.SECTION,
                config,
                (written, section) -> written.write(section, device.placed().evaluate())));
        recovery.write(root);
        run.write(root);
        root.section(StorageConfig.SECTION, data.dataset().spec().storage(), StorageConfig::write);
        return root.inOrderOf(OPTIONS);
    }

    /** Returns the name of the run. */
    public String name() {
        return run.name();
    }

    /** Returns the stage names of the training transforms, as the key {@code stages}, the web UI and the summary use them. */
    public List<String> transformStages() {
        List<String> names = stageNames();
        return names.subList(1, names.size() - 1);
    }

    /** Returns the stage names of the transforms that a dataset of a mixture has for itself. */
    public List<String> sourceStages(SourceConfig source) {
        List<String> names = StageNames.ofTransforms(source.transforms());
        return names.subList(1, names.size() - 1).stream()
                .map(name -> source.name() + "-" + name)
                .toList();
    }

    /** Returns the transforms of the training samples or of the evaluation samples, none without an evaluation. */
    public List<TransformSpec> transforms(Split split) {
        return split == Split.TRAIN
                ? data.transforms()
                : evaluate.map(EvaluateConfig::transforms).orElse(List.of());
    }

    /** Returns the stage names of the evaluation's transforms. */
    public List<String> evaluationStages() {
        List<String> names = StageNames.ofTransforms(transforms(Split.EVALUATE));
        return names.subList(1, names.size() - 1).stream()
                .map(name -> "evaluate-" + name)
                .toList();
    }

    /** Returns the names of all stages on the data servers, in the order in which a sample passes them. */
    public List<String> stageNames() {
        return StageNames.ofTransforms(data.transforms());
    }

    /**
     * Returns the same pipeline with absolute paths, for processes in another working directory. Addresses such as
     * {@code s3://bucket} stay as they are.
     */
    public PipelineConfig absolute() {
        return AbsolutePaths.of(this);
    }

    /**
     * Returns the same pipeline with each transform in its decided place.
     *
     * @param onServers the training transforms on the data servers
     * @param evaluated the evaluation's transforms on the data servers
     * @param onDevice the transforms of batches
     * @param placed the transforms of samples that run on the device before {@code onDevice}
     */
    public PipelineConfig placed(
            List<TransformSpec> onServers,
            List<TransformSpec> evaluated,
            List<Component> onDevice,
            PlacedTransforms placed) {
        return with(data.withTransforms(onServers))
                .with(slots.keeping(StageNames.ofTransforms(onServers)))
                .with(device.placed(onDevice, placed))
                .withEvaluate(evaluate.map(config -> config.withTransforms(evaluated)));
    }

    /**
     * Returns the pipelines of the datasets that a run trains on, each as if it were the only one: with its own transforms before those
     * of all samples.
     */
    public List<PipelineConfig> bySource() {
        return data.mix().isEmpty()
                ? List.of(this)
                : data.sources().stream()
                        .map(source -> with(data.withOnly(source)))
                        .toList();
    }

    /** Returns the same pipeline for an embedded Flink, which has no external resources. */
    public PipelineConfig withoutPlacement() {
        return with(slots.withoutPlacement());
    }

    /**
     * Returns the pipeline that reads the samples of the evaluation, again and again in the order of the dataset, in batches of the
     * same size; empty when nothing is evaluated.
     */
    public Optional<PipelineConfig> ofEvaluation() {
        return evaluate.map(found -> with(data.withDataset(found.dataset())
                        .withTransforms(found.transforms())
                        .withEpochs(BatchPlan.ENDLESS)
                        .with(new OrderConfig(data.order().seed(), Shuffle.NONE)))
                .with(batch.withEveryRow())
                .with(slots.withoutChoice().keeping(StageNames.ofTransforms(found.transforms())))
                .withEvaluate(Optional.empty())
                .withPlaces(places.in(EvaluateConfig.SECTION.key())));
    }

    /** Returns the same pipeline, whose settings are written in other places. */
    private PipelineConfig withPlaces(KeyPlaces other) {
        return new PipelineConfig(run, data, evaluate, batch, train, device, slots, recovery, other);
    }

    /** Returns the pipeline of an evaluation with the slots of the training in whose job it is. */
    public PipelineConfig inSlotsOf(PipelineConfig training) {
        return with(training.slots().withoutChoice().keeping(StageNames.ofTransforms(data.transforms())));
    }

    /** A part of a pipeline that {@link #with} replaces. */
    public sealed interface Part
            permits RunConfig, DataConfig, BatchConfig, TrainConfig, DeviceConfig, SlotsConfig, RecoveryConfig {}

    /** Returns the same pipeline with another part in the place of the one of the same class. */
    public PipelineConfig with(Part other) {
        return new PipelineConfig(
                other instanceof RunConfig part ? part : run,
                other instanceof DataConfig part ? part : data,
                evaluate,
                other instanceof BatchConfig part ? part : batch,
                other instanceof TrainConfig part ? part : train,
                other instanceof DeviceConfig part ? part : device,
                other instanceof SlotsConfig part ? part : slots,
                other instanceof RecoveryConfig part ? part : recovery,
                places);
    }

    /** Returns the same pipeline with another evaluation, or none. */
    public PipelineConfig withEvaluate(Optional<EvaluateConfig> other) {
        return new PipelineConfig(run, data, other, batch, train, device, slots, recovery, places);
    }
}
