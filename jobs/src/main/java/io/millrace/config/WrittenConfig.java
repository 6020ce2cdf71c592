package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.TimeSpan;
import io.millrace.order.BatchPlan;
import io.millrace.sink.Events;
import io.millrace.train.spec.TrainSpec.Kernels;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A configuration in the words of a pipeline file, every default written out. */
final class WrittenConfig {
    private final Map<String, Object> map = new LinkedHashMap<>();

    private WrittenConfig() {}

    static Map<String, Object> of(PipelineConfig config) {
        WrittenConfig written = new WrittenConfig();
        written.put(PipelineConfig.NAME, config.name());
        WrittenConfig dataset = dataset(config.dataset());
        dataset.put(PipelineConfig.EPOCHS, config.epochs() == BatchPlan.ENDLESS ? "endless" : config.epochs());
        written.put(PipelineConfig.DATASET, dataset.map);
        written.put(
                PipelineConfig.ORDER,
                new WrittenConfig()
                        .put(OrderConfig.SEED, config.order().seed())
                        .put(
                                OrderConfig.SHUFFLE,
                                ShuffleType.written(config.order().shuffle()))
                        .map);
        StagesConfig stages = config.stages();
        written.put(
                PipelineConfig.STAGES,
                stages.parallelism().isEmpty() ? word(stages.mode()) : new LinkedHashMap<>(stages.parallelism()));
        written.put(PipelineConfig.PARALLELISM, config.parallelism());
        PlacedTransforms placed = config.device().placed();
        written.put(PipelineConfig.TRANSFORMS, transforms(config.transforms(), placed.train()));
        written.put(
                PipelineConfig.BATCH,
                batch(config.batch())
                        .put(BatchConfig.SIZE, config.batch().size())
                        .put(BatchConfig.DROP_LAST, config.batch().dropLast())
                        .put(BatchConfig.MAX_QUARANTINED, config.batch().maxQuarantined())
                        .map);
        WrittenConfig read = new WrittenConfig()
                .put(ReadConfig.RANGE, config.read().range())
                .put(ReadConfig.WINDOW, config.read().window())
                .put(ReadConfig.READ_AHEAD, config.read().readAhead())
                .put(ReadConfig.THREADS, config.read().threads());
        if (!read.map.isEmpty()) {
            written.put(PipelineConfig.READ, read.map);
        }
        written.put(PipelineConfig.DEVICE, device(config.device()));
        written.put(PipelineConfig.TRAIN, train(config.train()));
        config.evaluate()
                .ifPresent(evaluate -> written.put(
                        PipelineConfig.EVALUATE,
                        new WrittenConfig()
                                .put(EvaluateConfig.DATASET, dataset(evaluate.dataset()).map)
                                .put(EvaluateConfig.TRANSFORMS, transforms(evaluate.transforms(), placed.evaluate()))
                                .put(EvaluateConfig.EVERY, evaluate.every())
                                .map));
        written.put(TrainersConfig.RANKS, config.trainers().ranks())
                .put(TrainersConfig.SHARE, word(config.trainers().share()))
                .put(TrainersConfig.REPLICAS, word(config.trainers().replicas()))
                .put(PipelineConfig.PLACEMENT, config.placement().map(WrittenConfig::placement))
                .put(
                        PipelineConfig.CHECKPOINT,
                        config.recovery()
                                .checkpoint()
                                .map(WrittenConfig::checkpoint)
                                .orElse("off"))
                .put(PipelineConfig.RESTART, config.recovery().restart().map(WrittenConfig::restart))
                .put(PipelineConfig.LEDGER, config.recovery().ledger())
                .put(PipelineConfig.TENSORBOARD, config.run().events() == Events.WRITTEN);
        written.put(
                PipelineConfig.RUN,
                new WrittenConfig()
                        .put(RunConfig.FOLDER, config.run().folder().toString())
                        .put(RunConfig.WEB_PORT, config.run().webPort())
                        .map);
        written.put(
                PipelineConfig.STORAGE,
                StorageConfig.written(config.dataset().spec().storage()));
        if (!config.flink().isEmpty()) {
            written.put(PipelineConfig.FLINK, FlinkSettings.written(config.flink()));
        }
        return written.map;
    }

    private static Object device(DeviceConfig config) {
        WrittenConfig written = new WrittenConfig()
                .put(DeviceConfig.KIND, word(config.kind()))
                .put(DeviceConfig.MEMORY_FORMAT, word(config.memoryFormat()))
                .put(DeviceConfig.PRECISION, word(config.precision()))
                .put(DeviceConfig.DETERMINISTIC, config.kernels() == Kernels.REPRODUCIBLE)
                .put(DeviceConfig.BATCHES_IN_FLIGHT, config.batchesInFlight())
                .put(
                        DeviceConfig.TRANSFORMS,
                        config.transforms().stream().map(WrittenConfig::part).toList());
        written.map.putAll(config.gpu().written());
        written.map.putAll(config.simulated().written());
        return written.map;
    }

    private static WrittenConfig batch(BatchConfig config) {
        Map<String, Object> fields = new LinkedHashMap<>();
        config.fields().forEach(field -> fields.put(field.name(), field.written()));
        Map<String, Object> wire = new LinkedHashMap<>();
        config.wire().forEach((field, type) -> wire.put(field, type.written()));
        return new WrittenConfig()
                .put(BatchConfig.FIELDS, fields.isEmpty() ? Optional.empty() : Optional.of(fields))
                .put(BatchConfig.WIRE, wire.isEmpty() ? Optional.empty() : Optional.of(wire));
    }

    private static Object placement(PlacementConfig config) {
        return new WrittenConfig()
                .put(PlacementConfig.TRAINER, config.trainer())
                .put(PlacementConfig.DATA, config.data())
                .put(PlacementConfig.CORES, config.cores())
                .put(PlacementConfig.HEAP, config.heap().toString())
                .map;
    }

    private static Object checkpoint(CheckpointConfig config) {
        return new WrittenConfig()
                .put(CheckpointConfig.INTERVAL, new TimeSpan(config.interval()).toString())
                .put(CheckpointConfig.PATH, config.path())
                .put(CheckpointConfig.MODE, word(config.mode()))
                .put(CheckpointConfig.TIMEOUT, new TimeSpan(config.timeout()).toString())
                .put(CheckpointConfig.KEEP, config.keep())
                .map;
    }

    private static Object restart(RestartConfig config) {
        return new WrittenConfig()
                .put(RestartConfig.ATTEMPTS, config.attempts())
                .put(RestartConfig.DELAY, new TimeSpan(config.delay()).toString())
                .map;
    }

    private static WrittenConfig dataset(DatasetConfig config) {
        WrittenConfig written =
                new WrittenConfig().put(DatasetConfig.FORMAT, config.spec().format());
        written.map.putAll(new TreeMap<>(config.spec().options().raw()));
        return written.put(DatasetConfig.GENERATE, config.generate().map(WrittenConfig::part));
    }

    private static Map<String, Object> train(TrainConfig config) {
        return new WrittenConfig()
                .put(TrainConfig.MODEL, part(config.model()))
                .put(TrainConfig.INPUT, config.roles().inputs())
                .put(TrainConfig.TARGET, config.roles().target())
                .put(TrainConfig.LOSS, part(config.loss()))
                .put(TrainConfig.OPTIMIZER, part(config.optimizer()))
                .put(TrainConfig.SCHEDULE, part(config.schedule()))
                .put(TrainConfig.ACCUMULATE, config.updates().accumulate())
                .put(TrainConfig.CLIP_NORM, Optional.ofNullable(config.updates().clipNorm()))
                .put(TrainConfig.THREADS, config.threads())
                .put(TrainConfig.SEED, config.seed())
                .put(
                        TrainConfig.RANKS,
                        config.ranks().isEmpty()
                                ? Optional.empty()
                                : Optional.of(config.ranks().stream()
                                        .map(WrittenConfig::rank)
                                        .toList()))
                .map;
    }

    private static Object rank(RankConfig config) {
        return new WrittenConfig()
                .put(RankConfig.MODEL, config.model().map(WrittenConfig::part))
                .put(RankConfig.OPTIMIZER, config.optimizer().map(WrittenConfig::part))
                .put(RankConfig.SCHEDULE, config.schedule().map(WrittenConfig::part))
                .put(RankConfig.ACCUMULATE, config.accumulate())
                .put(RankConfig.CLIP_NORM, config.clipNorm())
                .put(RankConfig.SEED, config.seed())
                .map;
    }

    /** Those on the servers, then those on the device. */
    private static List<Object> transforms(List<TransformSpec> onServers, List<TransformSpec> onDevice) {
        List<Object> transforms = new ArrayList<>();
        onServers.forEach(transform -> transforms.add(choice(transform.name(), transform.options())));
        for (TransformSpec transform : onDevice) {
            Map<String, Object> options = new TreeMap<>(transform.options().raw());
            options.put(TransformPlace.OPTION.key(), word(TransformPlace.DEVICE));
            transforms.add(Map.of(transform.name(), options));
        }
        return transforms;
    }

    private static Object part(Part part) {
        return choice(part.name(), part.options());
    }

    private static Object choice(String name, OptionValues options) {
        return options.raw().isEmpty() ? name : Map.of(name, new TreeMap<>(options.raw()));
    }

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private WrittenConfig put(Option<?> option, Object value) {
        map.put(option.key(), value);
        return this;
    }

    private WrittenConfig put(Option<?> option, Optional<?> value) {
        value.ifPresent(v -> map.put(option.key(), v));
        return this;
    }
}
