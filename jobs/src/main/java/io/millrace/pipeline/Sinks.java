package io.millrace.pipeline;

import io.millrace.config.DeviceConfig;
import io.millrace.config.GpuConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.config.RankConfig;
import io.millrace.config.SimulatedConfig;
import io.millrace.config.TrainConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.device.DeviceSpec;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.SimulatedLink;
import io.millrace.option.Choice;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.sink.Ledger;
import io.millrace.sink.ReportTarget;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainStepOpener;
import io.millrace.sink.Trainers;
import io.millrace.train.SimulatedDevice;
import io.millrace.train.TrainStep;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.train.spec.TrainSpec.Updates;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** What the training operator is told, made from the pipeline file and what is known of its data. */
public final class Sinks {
    /** The option of a model that says how many classes it tells apart. */
    static final String CLASSES = "classes";

    private Sinks() {}

    /** For a run that writes into {@code folder}. */
    public static SinkSpec of(PipelineConfig config, RunPlan plan, Path folder) {
        TrainSpec train = new TrainSpec(
                        plan.rows(),
                        config.train().roles(),
                        config.device().transforms(),
                        model(config.train(), plan.classes().size()),
                        config.train().loss(),
                        config.train().optimizer(),
                        config.train().schedule(),
                        plan.batches().stepsPerEpoch(),
                        config.epochs() == BatchPlan.ENDLESS ? 0 : config.epochs(),
                        config.train().seed(),
                        new TrainSpec.Tuning(
                                config.train().threads(),
                                config.device().memoryFormat(),
                                config.device().precision(),
                                config.device().kernels()),
                        config.train().updates())
                .with(rowStages(config));
        return new SinkSpec(
                plan.batches(),
                train,
                opener(config.device().simulated()),
                config.device().batchesInFlight(),
                config.batch().maxQuarantined(),
                folder.toAbsolutePath().toString(),
                config.recovery().ledger() ? Ledger.WRITTEN : Ledger.NONE,
                config.run().events(),
                null,
                new Trainers(
                        new RankRows(plan.batches(), split(config.trainers())),
                        ranks(config, plan.classes().size(), train)),
                ReportTarget.NONE,
                null,
                device(config.device()));
    }

    /** Opened where the trainer runs; what simulates a device is the host. */
    private static DeviceSpec device(DeviceConfig config) {
        boolean simulated = config.simulated().device().isPresent()
                || !config.simulated().step().isZero();
        return new DeviceSpec(
                simulated
                        ? DeviceSpec.Kind.HOST
                        : DeviceSpec.Kind.valueOf(config.kind().name()),
                config.gpu().index().orElse(null),
                config.gpu().pinnedLimitBytes(),
                config.gpu().pinned() == GpuConfig.Pinned.REQUIRE ? Need.REQUIRED : Need.PREFERRED,
                TrainingRuntime::openCuda);
    }

    /** What goes on with the numbers of the stages before it. */
    private static RowStages rowStages(PipelineConfig config) {
        PlacedTransforms placed = config.device().placed();
        if (placed.train().isEmpty() && placed.evaluate().isEmpty()) {
            return RowStages.NONE;
        }
        int evaluated = config.evaluate().map(e -> e.transforms().size()).orElse(0);
        return new RowStages(
                config.order().seed(),
                rowStages(placed.train(), config.transforms().size()),
                rowStages(placed.evaluate(), Stages.FIRST_EVALUATION_NUMBER + evaluated));
    }

    private static List<RowStage> rowStages(List<TransformSpec> transforms, int firstNumber) {
        return IntStream.range(0, transforms.size())
                .mapToObj(i -> new RowStage(PlaceableTransform.onDevice(transforms.get(i)), firstNumber + i))
                .toList();
    }

    private static TrainStepOpener opener(SimulatedConfig simulated) {
        if (simulated.device().isEmpty() && simulated.step().isZero()) {
            return TrainStep::open;
        }
        SimulatedLink link = simulated.device().orElse(SimulatedLink.NONE);
        Duration step = simulated.step();
        return (spec, capacity, device) -> new SimulatedDevice(TrainStep.open(spec, capacity, device), link, step);
    }

    /** Among how many trainers each batch is split. */
    static int split(TrainersConfig trainers) {
        return trainers.share() == TrainersConfig.Share.SPLIT ? trainers.ranks() : 1;
    }

    /** What each rank trains: the same, and independent models from other initial parameters. */
    private static List<TrainSpec> ranks(PipelineConfig config, int classes, TrainSpec first) {
        boolean replicas = config.trainers().replicas() == TrainersConfig.Replicas.SYNC;
        return IntStream.range(0, config.trainers().ranks())
                .mapToObj(rank -> replicas ? first : own(config.train(), classes, first, rank))
                .toList();
    }

    private static TrainSpec own(TrainConfig train, int classes, TrainSpec first, int rank) {
        long seed = first.seed() + rank;
        if (train.ranks().isEmpty()) {
            return first.as(first.model(), first.optimizer(), first.schedule(), seed);
        }
        RankConfig own = train.ranks().get(rank);
        Updates updates = new Updates(
                own.accumulate().orElse(first.updates().accumulate()),
                own.clipNorm().orElse(first.updates().clipNorm()));
        return first.updating(updates)
                .as(
                        own.model()
                                .map(model -> model(model, train.roles(), classes))
                                .orElse(first.model()),
                        own.optimizer().orElse(first.optimizer()),
                        own.schedule().orElse(first.schedule()),
                        own.seed().orElse(seed));
    }

    /** A model that is not told how many classes there are gets those of the dataset's labels, where these are the target. */
    static Part model(TrainConfig train, int classes) {
        return model(train.model(), train.roles(), classes);
    }

    /** The same for one of several models. */
    static Part model(Part model, Roles roles, int classes) {
        Map<String, Object> raw = new TreeMap<>(model.options().raw());
        Choice choice = Models.all().stream()
                .filter(c -> c.name().equals(model.name()))
                .findFirst()
                .orElseThrow();
        boolean takesClasses = choice.options().stream().anyMatch(o -> o.key().equals(CLASSES));
        if (!roles.target().equals(Roles.LABEL) || classes == 0 || !takesClasses || raw.containsKey(CLASSES)) {
            return model;
        }
        raw.put(CLASSES, (long) classes);
        return new Part(model.name(), OptionValues.of(choice.options(), raw));
    }
}
