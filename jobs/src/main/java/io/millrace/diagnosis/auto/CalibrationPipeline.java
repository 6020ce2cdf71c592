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

/** The pipeline that runs before a job to measure the costs of the stages. Pure. */
public final class CalibrationPipeline {
    /** The number of epochs, which is longer than any measurement. */
    private static final int EPOCHS = 100_000;

    /** The warm-up lasts for the time of the calibration divided by this number. */
    private static final int WARM_UP_DIVISOR = 3;

    /** The spread at which the speed is exact enough. It is large, because slots are whole numbers. */
    private static final double SPREAD = 0.05;

    /** The additional time for the start of Flink, the libraries and the first batch, and for metrics every ten seconds. */
    private static final Duration LONGER = Duration.ofMinutes(1);

    private CalibrationPipeline() {}

    /**
     * Returns the pipeline on one slot, as one chain, without evaluation and checkpoints, and with more epochs than any
     * measurement needs. It does not restart after a failure.
     */
    public static PipelineConfig of(PipelineConfig config) {
        return config.with(config.run().withName(config.name() + "-calibration").withoutEvents())
                .with(config.data().withEpochs(EPOCHS))
                .withEvaluate(Optional.empty())
                .with(config.slots().chosen(1, StagesConfig.ONE_CHAIN).withoutChoice())
                .with(new RecoveryConfig(Optional.empty(), Optional.of(new RestartConfig(0, Duration.ZERO)), false));
    }

    /** Returns the limits of the calibration. */
    public static TrialLimits limits(AutoConfig auto) {
        Duration most = auto.calibration();
        return new TrialLimits(most.dividedBy(WARM_UP_DIVISOR), SPREAD, most, most, most.plus(LONGER));
    }

    /**
     * Returns a measured model in which each stage handles each sample once. In a calibration, early stages seem to handle
     * more records than samples, because the last records are not trained on when the short measurement ends.
     */
    public static CapacityModel model(CapacityModel measured) {
        return new CapacityModel(
                measured.tasks().stream().map(CalibrationPipeline::once).toList(),
                measured.trainer(),
                measured.cores(),
                measured.allCores(),
                measured.bounds(),
                measured.collecting());
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
