package io.millrace.pipeline;

import io.millrace.config.ComputeConfig;
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
import io.millrace.sink.files.Ledger;
import io.millrace.sink.spec.RingSpec;
import io.millrace.sink.spec.RunSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainStepOpener;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.sink.spec.Trainers;
import io.millrace.train.SlowedStep;
import io.millrace.train.TrainStep;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.spec.Updates;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The conversion of a pipeline file, and of the properties of its data, to the specification of the training operator.
 *
 * <p>Tested by {@code RowsITCase} and {@code WireITCase}.
 */
public final class Sinks {
    /** The option of a model with its number of classes. */
    static final String CLASSES = "classes";

    private Sinks() {}

    /** Returns the specification of a run that writes into {@code folder}. */
    public static SinkSpec of(PipelineConfig config, RunPlan plan, Path folder) {
        List<TrainSpec> specs = ranks(config, plan.classes().size(), commonTraining(config, plan));
        Trainers trainers = new Trainers(rows(config, plan.batches()), specs);
        RunSpec run = new RunSpec(
                plan.batches(),
                folder.toAbsolutePath().toString(),
                config.batch().maxQuarantined(),
                config.recovery().ledger() ? Ledger.WRITTEN : Ledger.NONE,
                config.run().events(),
                plan.shares());
        return new SinkSpec(
                run,
                TrainerSpec.of(opener(config.device().simulated()), trainers),
                new RingSpec(device(config.device()), config.device().batchesInFlight()));
    }

    /** Returns the training that all ranks share, before a rank's own settings are applied. */
    private static TrainSpec commonTraining(PipelineConfig config, RunPlan plan) {
        TrainConfig train = config.train();
        ComputeConfig compute = config.device().compute();
        int epochs = config.data().epochs();
        return new TrainSpec(
                new TrainData(
                        plan.rows(),
                        train.roles(),
                        rowStages(config),
                        config.device().transforms()),
                train.recipe().withModel(model(train, plan.classes().size())),
                new RunLength(plan.batches().stepsPerEpoch(), epochs == BatchPlan.ENDLESS ? 0 : epochs),
                new Tuning(train.threads(), compute.memoryFormat(), compute.precision(), compute.kernels()));
    }

    /** Returns the device that the trainer opens. The host stands in for a device that is only slower. */
    private static DeviceSpec device(DeviceConfig config) {
        if (config.simulated().asynchronous()) {
            return DeviceSpec.simulated(
                    config.simulated().device().orElse(SimulatedLink.NONE),
                    config.simulated().step());
        }
        return new DeviceSpec(
                config.simulated().replacesDevice()
                        ? DeviceSpec.Kind.HOST
                        : DeviceSpec.Kind.valueOf(config.kind().name()),
                config.gpu().index().orElse(null),
                config.gpu().pinnedLimit().bytes(),
                config.gpu().pinned() == GpuConfig.Pinned.REQUIRE ? Need.REQUIRED : Need.PREFERRED,
                TrainingRuntime::openCuda);
    }

    /**
     * Returns the transforms of samples on the device. Their numbers continue those of the stages on the data servers.
     */
    private static RowStages rowStages(PipelineConfig config) {
        PlacedTransforms placed = config.device().placed();
        if (placed.train().isEmpty() && placed.evaluate().isEmpty()) {
            return RowStages.NONE;
        }
        int evaluated = config.evaluate().map(e -> e.transforms().size()).orElse(0);
        return new RowStages(
                config.data().order().seed(),
                rowStages(placed.train(), config.data().transforms().size()),
                rowStages(placed.evaluate(), Stages.FIRST_EVALUATION_NUMBER + evaluated));
    }

    private static List<RowStage> rowStages(List<TransformSpec> transforms, int firstNumber) {
        return IntStream.range(0, transforms.size())
                .mapToObj(i -> new RowStage(PlaceableTransform.onDevice(transforms.get(i)), firstNumber + i))
                .toList();
    }

    private static TrainStepOpener opener(SimulatedConfig simulated) {
        if (!simulated.replacesDevice() || simulated.asynchronous()) {
            return TrainStep::open;
        }
        SimulatedLink link = simulated.device().orElse(SimulatedLink.NONE);
        Duration step = simulated.step();
        return (spec, capacity, device) -> new SlowedStep(TrainStep.open(spec, capacity, device), link, step);
    }

    /**
     * Returns the rows of each rank.
     *
     * @throws IllegalArgumentException when the ranks cannot share the batches; the message is a sentence for the user
     */
    public static RankRows rows(PipelineConfig config, BatchPlan batches) {
        TrainersConfig trainers = config.train().trainers();
        return new RankRows(batches, split(trainers), trainers.tail());
    }

    /** Returns the number of trainers that share a batch. */
    static int split(TrainersConfig trainers) {
        return trainers.share() == TrainersConfig.Share.SPLIT ? trainers.ranks() : 1;
    }

    /**
     * Returns the training of each rank: the same for replicas, and different initial parameters for independent
     * models.
     */
    private static List<TrainSpec> ranks(PipelineConfig config, int classes, TrainSpec common) {
        TrainersConfig trainers = config.train().trainers();
        boolean replicas = trainers.replicas() == TrainersConfig.Replicas.SYNC;
        return IntStream.range(0, trainers.ranks())
                .mapToObj(rank -> replicas ? common : common.with(own(config.train(), classes, common.recipe(), rank)))
                .toList();
    }

    private static Recipe own(TrainConfig train, int classes, Recipe common, int rank) {
        long seed = common.seed() + rank;
        if (train.trainers().own().isEmpty()) {
            return common.withSeed(seed);
        }
        RankConfig own = train.trainers().own().get(rank);
        Updates updates = new Updates(
                own.accumulate().orElse(common.updates().accumulate()),
                own.clipNorm().orElse(common.updates().clipNorm()));
        return common.with(updates)
                .withModel(own.model()
                        .map(model -> model(model, train.roles(), classes))
                        .orElse(common.model()))
                .withOptimizer(own.optimizer().orElse(common.optimizer()))
                .withSchedule(own.schedule().orElse(common.schedule()))
                .withSeed(own.seed().orElse(seed));
    }

    /**
     * Returns the model. If labels are the target and the file does not set the number of classes, the model has as
     * many classes as the dataset.
     */
    static Component model(TrainConfig train, int classes) {
        return model(train.recipe().model(), train.roles(), classes);
    }

    /** Returns one of several models, with the number of classes as in {@link #model(TrainConfig, int)}. */
    static Component model(Component model, Roles roles, int classes) {
        Map<String, Object> raw = new TreeMap<>(model.options().raw());
        Choice choice = model.in(Models.all(), "model");
        boolean takesClasses = choice.options().stream().anyMatch(o -> o.key().equals(CLASSES));
        if (!roles.target().equals(Roles.LABEL) || classes == 0 || !takesClasses || raw.containsKey(CLASSES)) {
            return model;
        }
        raw.put(CLASSES, (long) classes);
        return new Component(model.name(), OptionValues.of(choice.options(), raw));
    }
}
