package io.millrace.diagnosis;

import io.millrace.rest.JobReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TrainerReading;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import java.util.List;
import java.util.Optional;

/** Judges a run by its totals, warm-up included: for runs that are over before they can be looked at twice. Pure. */
public final class WholeRun {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private WholeRun() {}

    /**
     * Measures.
     *
     * @param latest the last reading, which knows the job's tasks
     * @param stages on the data servers, at the end
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
                report.trainNanos() / NANOS_PER_SECOND,
                setting);
    }

    /** Of several ranks a report has the longest times, where a reading has their means or sums: nearly the same. */
    private static TrainerReading trainer(TrainReport report, int ranks) {
        Long coreWait = report.coreWaitNanos();
        return new TrainerReading(
                report.steps(),
                report.samples() - report.earlierSamples(),
                null,
                null,
                null,
                millis(report.starvedNanos()),
                millis(report.stepNanos()),
                millis(report.transferNanos()),
                millis(report.evaluationNanos()),
                null,
                millis(report.assembleNanos()) * ranks,
                report.checkpoints().count(),
                millis(report.checkpoints().copyNanos()),
                millis(report.checkpoints().drainNanos()),
                millis(report.cpuNanos()),
                report.sentBytes(),
                coreWait == null ? null : Double.valueOf(millis(coreWait)),
                null);
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }
}
