package io.millrace.diagnosis;

import io.millrace.metrics.Figures;
import io.millrace.rest.JobReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TrainerReading;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.figures.TrainerCounters;
import java.util.List;
import java.util.Optional;

/**
 * The measurement of a whole run by its totals, including the warm-up. It is for runs that end before two readings are
 * made. Pure.
 */
public final class WholeRun {
    private static final double NANOS_PER_SECOND = 1e9;

    private WholeRun() {}

    /**
     * Measures a run; empty when nothing was trained on.
     *
     * @param latest the last reading, for the job's state, tasks and machines
     * @param stages the readings of the stages on the data servers at the end of the run
     * @param reports the reports of all ranks
     */
    public static Optional<Measurement> measure(
            JobReading latest, List<StageReading> stages, TrainReports reports, Setting setting) {
        TrainReport report = reports.whole();
        JobReading after = new JobReading(
                latest.state(), stages, trainer(report, setting.ranks()), latest.tasks(), latest.machines());
        return Measurement.of(
                JobReading.unknown(
                        "CREATED", stages.stream().map(StageReading::name).toList()),
                after,
                report.pace().trainNanos() / NANOS_PER_SECOND,
                setting);
    }

    /**
     * Returns the reading of the trainers for a report. For several ranks, the report has the longest of their times, and a
     * reading has the means or sums; the difference is small.
     */
    private static TrainerReading trainer(TrainReport report, int ranks) {
        TrainerCounters counters = report.counters();
        SnapshotCost checkpoints = report.task().checkpoints();
        return TrainerReading.UNKNOWN
                .with(Figures.STEPS, counters.steps())
                .with(Figures.SAMPLES, counters.samples() - counters.earlierSamples())
                .with(Figures.STARVED_NANOS, counters.times().starvedNanos())
                .with(Figures.STEP_NANOS, counters.times().stepNanos())
                .with(Figures.TRANSFER_NANOS, counters.times().transferNanos())
                .with(Figures.COPY_WAIT_NANOS, report.copyWaitNanos())
                .with(Figures.EVALUATION_NANOS, counters.times().evaluationNanos())
                .with(Figures.ASSEMBLE_NANOS, report.task().assembleNanos() * ranks)
                .with(Figures.CHECKPOINTS, checkpoints.count())
                .with(Figures.CHECKPOINT_COPY_NANOS, checkpoints.copyNanos())
                .with(Figures.CHECKPOINT_REFILL_NANOS, report.attempt().refillNanos())
                .with(Figures.CHECKPOINT_DRAIN_NANOS, checkpoints.drainNanos())
                .with(Figures.CPU_NANOS, counters.times().cpuNanos())
                .with(Figures.BYTES_PRODUCED, counters.wireBytes())
                .with(Figures.CORE_WAIT_NANOS, report.attempt().coreWaitNanos());
    }
}
