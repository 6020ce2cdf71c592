package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.order.BatchPlan;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.transform.TransformSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pipeline file, checked. {@link ConfigReader} makes it, and the options declared beside each record are what it
 * checks by.
 *
 * @param epochs passes over the dataset, or {@link BatchPlan#ENDLESS}
 * @param parallelism of the stages on the data servers; the trainer is one task
 * @param auto which of these two are chosen as a run begins: until then they are one chain on each processor
 * @param transforms on the data servers, per sample, in order
 * @param trainers how many, and what each gets
 * @param placement empty: all stages share slots
 * @param flink Flink's own settings
 */
public record PipelineConfig(
        String name,
        DatasetConfig dataset,
        int epochs,
        OrderConfig order,
        StagesConfig stages,
        int parallelism,
        AutoConfig auto,
        List<TransformSpec> transforms,
        BatchConfig batch,
        ReadConfig read,
        DeviceConfig device,
        TrainConfig train,
        Optional<EvaluateConfig> evaluate,
        TrainersConfig trainers,
        Optional<PlacementConfig> placement,
        RecoveryConfig recovery,
        RunConfig run,
        Map<String, String> flink) {
    static final Option<String> NAME = Option.of(
                    "name", Types.name(), "What the run is called. Default: the name of the file.")
            .optional();
    static final Option<Object> DATASET = section("dataset", "The samples to train on.");
    static final Option<Object> ORDER =
            section("order", "In which order they are visited.").optional();
    static final Option<Object> STAGES = Option.of(
                    "stages",
                    Types.structure("fused | separate | auto | {stage: parallelism}"),
                    "One chain per slot, a task per stage, or the named stages as tasks with a parallelism of their own;"
                            + " auto: stages that mostly wait, as measured by train, with as many slots as they need.")
            .orElse("fused");
    static final Option<ParallelismType.Parallelism> PARALLELISM = Option.of(
                    "parallelism",
                    ParallelismType.TYPE,
                    "Slots that read and transform. Default: the processors of the machine that starts the run. auto: as many"
                            + " as keep the trainer busy, measured by train for calibrate at most, and never over most;"
                            + " most is 4 for each processor unless given.")
            .optional();
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms", Types.structure("list of transforms"), "What is done to each sample, in order.")
            .optional();
    static final Option<Object> BATCH =
            section("batch", "What one training step consumes.").optional();
    static final Option<Object> READ = section("read", "Tuning of the source.").optional();
    static final Option<Object> DEVICE = section("device", "Where training runs, and transforms of whole batches.")
            .optional();
    static final Option<Object> TRAIN = section("train", "What is trained and how.");
    static final Option<Object> EVALUATE =
            section("evaluate", "Evaluation between epochs; absent: none.").optional();
    static final Option<Object> PLACEMENT = section(
                    "placement",
                    "On a cluster with GPUs: which machines take the trainers, and which the data stages; absent: they share"
                            + " slots.")
            .optional();
    static final Option<Object> CHECKPOINT = Option.of(
                    "checkpoint",
                    Types.structure("section, or off"),
                    "When and where the run is saved, so that it goes on after a failure; off: never.")
            .optional();
    static final Option<Object> RESTART = section(
                    "restart",
                    "How often a failed job is started again. Default: on a cluster as the cluster is set up, otherwise 3"
                            + " attempts, 1s apart.")
            .optional();
    static final Option<Boolean> LEDGER = Option.of(
                    "ledger", OptionType.BOOLEAN, "Whether ledger.csv is written: which samples each step trained on.")
            .orElse(false);
    static final Option<Boolean> TENSORBOARD = Option.of(
                    "tensorboard",
                    OptionType.BOOLEAN,
                    "Whether the run's folder gets event files for TensorBoard: loss, accuracy, speed and starvation.")
            .orElse(false);
    static final Option<Object> RUN =
            section("run", "What the run writes and shows.").optional();
    static final Option<Object> STORAGE = section(
                    "storage", "How files are read that are not on this machine, as those of s3://.")
            .optional();
    static final Option<Map<String, String>> FLINK = Option.of(
                    "flink",
                    FlinkSettings.TYPE,
                    "Settings of Flink and its file systems, as s3.endpoint, when Flink is embedded.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(
            NAME,
            DATASET,
            ORDER,
            STAGES,
            PARALLELISM,
            TRANSFORMS,
            BATCH,
            READ,
            DEVICE,
            TRAIN,
            EVALUATE,
            TrainersConfig.RANKS,
            TrainersConfig.SHARE,
            TrainersConfig.REPLICAS,
            PLACEMENT,
            CHECKPOINT,
            RESTART,
            LEDGER,
            TENSORBOARD,
            RUN,
            STORAGE,
            FLINK);

    /** In the dataset section, for the training set alone. */
    static final Option<Integer> EPOCHS = Option.of(
                    "epochs",
                    Types.countOr("endless", BatchPlan.ENDLESS),
                    "Passes over the dataset; endless runs until it is stopped.")
            .orElse(1);

    public PipelineConfig {
        transforms = List.copyOf(transforms);
        flink = Map.copyOf(flink);
    }

    /** The names of {@link #transforms} as stages, as {@code stages}, the web UI and the summary use them. */
    public List<String> transformStages() {
        List<String> names = stageNames();
        return names.subList(1, names.size() - 1);
    }

    /** The names of the evaluation's transforms as stages. */
    public List<String> evaluationStages() {
        List<String> names = StageNames.of(evaluate.map(EvaluateConfig::transforms).orElse(List.of()).stream()
                .map(TransformSpec::name)
                .toList());
        return names.subList(1, names.size() - 1).stream()
                .map(name -> "evaluate-" + name)
                .toList();
    }

    /** The stages by the names that {@code stages}, the web UI and the summary use, in the order of the data's way. */
    public List<String> stageNames() {
        return StageNames.of(transforms.stream().map(TransformSpec::name).toList());
    }

    /**
     * The same pipeline with every path of this machine's file system made absolute, as for processes that have another
     * working directory. Addresses as {@code s3://bucket} stay as they are.
     */
    public PipelineConfig absolute() {
        return AbsolutePaths.of(this);
    }

    /**
     * The keys of {@link #flink} whose values are not known, sorted: this was read from what {@link #toMap} wrote, which
     * leaves out secrets.
     */
    public List<String> maskedSecrets() {
        return FlinkSettings.masked(flink);
    }

    /** The same pipeline with other slots: what was chosen, where {@link #auto} says that it is. */
    public PipelineConfig with(int slots, StagesConfig chosen) {
        return new PipelineConfig(
                name,
                dataset,
                epochs,
                order,
                chosen,
                slots,
                auto,
                transforms,
                batch,
                read,
                device,
                train,
                evaluate,
                trainers,
                placement,
                recovery,
                run,
                flink);
    }

    /**
     * The same pipeline once it is decided where each transform is done.
     *
     * @param onServers of {@code transforms}, in place of those of the file
     * @param evaluated likewise of {@code evaluate.transforms}
     * @param onDevice of {@code device.transforms}
     * @param placed what is done before these
     */
    public PipelineConfig placed(
            List<TransformSpec> onServers,
            List<TransformSpec> evaluated,
            List<Part> onDevice,
            PlacedTransforms placed) {
        List<String> names =
                StageNames.of(onServers.stream().map(TransformSpec::name).toList());
        Map<String, Integer> parallelism = new LinkedHashMap<>(stages.parallelism());
        parallelism.keySet().retainAll(names); // what is on the device is no stage
        return new PipelineConfig(
                name,
                dataset,
                epochs,
                order,
                new StagesConfig(stages.mode(), parallelism),
                this.parallelism,
                auto,
                onServers,
                batch,
                read,
                device.placed(onDevice, placed),
                train,
                evaluate.map(e -> new EvaluateConfig(e.dataset(), evaluated, e.every())),
                trainers,
                placement,
                recovery,
                run,
                flink);
    }

    /** The same pipeline where there are no machines to choose from: an embedded Flink offers no resources. */
    public PipelineConfig withoutPlacement() {
        return new PipelineConfig(
                name,
                dataset,
                epochs,
                order,
                stages,
                parallelism,
                auto,
                transforms,
                batch,
                read,
                device,
                train,
                evaluate,
                trainers,
                Optional.empty(),
                recovery,
                run,
                flink);
    }

    /**
     * The whole configuration as the keys and values of a pipeline file, defaults included: strings, numbers, booleans,
     * lists and maps.
     */
    public Map<String, Object> toMap() {
        return WrittenConfig.of(this);
    }

    private static Option<Object> section(String key, String help) {
        return Option.of(key, Types.structure("section"), help);
    }
}
