package io.millrace.diagnosis.auto;

import io.millrace.config.AutoConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RecoveryConfig;
import io.millrace.config.RestartConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.TrialLimits;
import java.time.Duration;
import java.util.Optional;

/** What is run to find out what a pipeline's stages cost. Pure. */
public final class CalibrationPipeline {
    /** For longer than anybody measures. */
    private static final int EPOCHS = 100_000;

    /** Of the time, what goes to the warm-up. */
    private static final int WARM_UP_SHARE = 3;

    /** Slots are whole numbers: there is no need to know more. */
    private static final double SPREAD = 0.05;

    /** For Flink, the libraries and the first batch to be there, or metrics that come every ten seconds. */
    private static final Duration LONGER = Duration.ofMinutes(1);

    private CalibrationPipeline() {}

    /**
     * The same pipeline on one slot, as one chain, without what is not on the way of the training data, and for longer than
     * anybody measures. It does not begin again when it fails.
     */
    public static PipelineConfig of(PipelineConfig config) {
        return config.with(config.run().withName(config.name() + "-calibration").withoutEvents())
                .with(config.data().withEpochs(EPOCHS))
                .withEvaluate(Optional.empty())
                .with(config.slots().chosen(1, StagesConfig.ONE_CHAIN).withoutChoice())
                .with(new RecoveryConfig(Optional.empty(), Optional.of(new RestartConfig(0, Duration.ZERO)), false));
    }

    /** How long it is run. */
    public static TrialLimits limits(AutoConfig auto) {
        Duration most = auto.calibration();
        return new TrialLimits(most.dividedBy(WARM_UP_SHARE), SPREAD, most, most.plus(LONGER));
    }

    /**
     * What was measured of it, where each stage handles each sample once: in a time as short some would seem to do more,
     * since what is on its way at the end is not trained on yet.
     */
    public static CapacityModel model(CapacityModel measured) {
        return new CapacityModel(
                measured.tasks().stream().map(CalibrationPipeline::once).toList(),
                measured.trainer(),
                measured.cores(),
                measured.allCores(),
                measured.bounds());
    }

    private static Task once(Task task) {
        return new Task(
                task.name(),
                task.slots(),
                task.speed(),
                task.stages().stream()
                        .map(stage -> new StageCost(
                                stage.name(),
                                stage.recordsPerSample() > 0 ? 1 : 0,
                                stage.ownSeconds(),
                                stage.cpuSeconds(),
                                stage.usualSeconds()))
                        .toList());
    }
}
