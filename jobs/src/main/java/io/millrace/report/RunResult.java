package io.millrace.report;

import io.millrace.metrics.MetricNames;
import io.millrace.pipeline.WireColumn;
import io.millrace.rest.StageReading;
import io.millrace.sink.SnapshotCost;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts together what the parts of a run measured of themselves. Pure, but for the versions. */
public final class RunResult {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;

    /** Every row travels with its position, index and label. */
    private static final int ROW_OVERHEAD_BYTES = 3 * Long.BYTES;

    private RunResult() {}

    /**
     * A summary.
     *
     * @param message why the run did not finish; null when it did
     * @param startedAtMillis the program's start, wall clock
     * @param endedAtMillis the end of training, wall clock
     * @param reports the trainers'; null when none began
     * @param stages the stages on the data servers
     * @param sent the fields that travelled, and why so
     * @param verdict what limited; null when nobody found out
     */
    public static RunSummary summarize(
            String name,
            RunSummary.Status status,
            @Nullable String message,
            RunSummary.Setup setup,
            long startedAtMillis,
            long endedAtMillis,
            @Nullable TrainReports reports,
            List<StageReading> stages,
            List<WireColumn> sent,
            RunSummary.@Nullable Verdict verdict) {
        TrainReport report = reports == null ? null : reports.whole();
        long bytesPerSample = bytesPerSample(report, sent);
        double wallSeconds = (endedAtMillis - startedAtMillis) / 1e3;
        List<StageReading> all = new ArrayList<>(stages);
        if (report != null && reports != null) {
            all.addAll(trainerStages(report, reports.ranks().size(), bytesPerSample));
        }
        return new RunSummary(
                name,
                status,
                message,
                setup.telling(report == null ? null : report.device()),
                counts(report),
                speed(report, wallSeconds, startedAtMillis, bytesPerSample),
                WireBytes.of(sent, report),
                result(report),
                ranks(reports),
                verdict,
                all,
                Versions.ofRun(report == null ? null : report.device()));
    }

    private static RunSummary.Counts counts(@Nullable TrainReport report) {
        return report == null
                ? new RunSummary.Counts(0, 0, 0, 0, 0, null, null)
                : new RunSummary.Counts(
                        report.epochMillis().size(),
                        report.steps(),
                        report.samples(),
                        report.quarantined(),
                        report.quarantinedRows(),
                        report.restarts(),
                        checkpoints(report.checkpoints()));
    }

    private static RunSummary.Checkpoints checkpoints(SnapshotCost cost) {
        return new RunSummary.Checkpoints(
                cost.count(), cost.bytes(), cost.drainNanos() / NANOS_PER_MILLI, cost.copyNanos() / NANOS_PER_MILLI);
    }

    private static RunSummary.Speed speed(
            @Nullable TrainReport report, double wallSeconds, long startedAtMillis, long bytesPerSample) {
        if (report == null) {
            return new RunSummary.Speed(wallSeconds, null, null, null, List.of(), null, bytesPerSample);
        }
        return new RunSummary.Speed(
                wallSeconds,
                report.firstStepAtMillis() < 0 ? null : (report.firstStepAtMillis() - startedAtMillis) / 1e3,
                (report.samples() - report.earlierSamples()) / wallSeconds,
                report.warmNanos() == 0 ? null : report.warmSamples() * NANOS_PER_SECOND / report.warmNanos(),
                report.epochMillis().stream().map(millis -> millis / 1e3).toList(),
                report.trainNanos() == 0 ? null : (double) report.starvedNanos() / report.trainNanos(),
                bytesPerSample);
    }

    private static RunSummary.Result result(@Nullable TrainReport report) {
        if (report == null) {
            return new RunSummary.Result(null, null, null);
        }
        Double loss = report.evaluationLoss() != null ? report.evaluationLoss() : report.finalLoss();
        return new RunSummary.Result(loss, report.accuracy(), report.parametersSha256());
    }

    /** Of several trainers each, of one nothing: its figures are the run's. */
    private static List<RunSummary.Rank> ranks(@Nullable TrainReports reports) {
        return reports == null || reports.ranks().size() == 1
                ? List.of()
                : reports.ranks().stream().map(RunResult::rank).toList();
    }

    private static RunSummary.Rank rank(TrainReports.Ranked ranked) {
        TrainReport report = ranked.report();
        return new RunSummary.Rank(
                ranked.rank(),
                report.steps(),
                report.samples(),
                report.evaluationLoss() != null ? report.evaluationLoss() : report.finalLoss(),
                report.accuracy(),
                report.trainNanos() == 0 ? null : (double) report.starvedNanos() / report.trainNanos(),
                report.parametersSha256());
    }

    /** What one row holds. Ragged and sparse rows differ, so that what was sent says more than the plan. */
    private static long bytesPerSample(@Nullable TrainReport report, List<WireColumn> sent) {
        long bytes = report == null || report.samples() == 0
                ? sent.stream().mapToLong(column -> column.column().rowBytes()).sum()
                : Math.round((double) report.sentBytes() / report.samples());
        return bytes + ROW_OVERHEAD_BYTES;
    }

    /** What happens in the training operator, as stages beside the others. */
    private static List<StageReading> trainerStages(TrainReport report, int trainers, long bytesPerSample) {
        long bytes = report.samples() * bytesPerSample;
        return List.of(
                stage("assemble", trainers, report.samples(), report.assembleNanos(), null, null, bytes, null, null),
                stage("transfer", trainers, report.samples(), report.transferNanos(), null, null, bytes, null, null),
                stage(
                        "train",
                        trainers,
                        report.samples(),
                        report.stepNanos(),
                        report.cpuNanos() / NANOS_PER_MILLI,
                        report.starvedNanos() / NANOS_PER_MILLI,
                        bytes,
                        report.quarantinedRows(),
                        report.coreWaitNanos()));
    }

    private static StageReading stage(
            String name,
            int parallelism,
            long records,
            long ownNanos,
            @Nullable Double cpuMillis,
            @Nullable Double waitInMillis,
            long bytes,
            @Nullable Long failures,
            @Nullable Long coreWaitNanos) {
        return new StageReading(
                name,
                parallelism,
                records,
                ownNanos / NANOS_PER_MILLI,
                cpuMillis,
                waitInMillis,
                null,
                bytes,
                failures,
                coreWaitNanos == null ? null : Double.valueOf(coreWaitNanos / NANOS_PER_MILLI),
                null,
                null,
                null,
                null,
                null);
    }

    /** The stages' last values in this process, see {@link FinalMetrics}; unknown where nothing was reported. */
    public static List<StageReading> finalStages(Map<String, Integer> parallelisms) {
        return parallelisms.entrySet().stream()
                .map(stage -> reading(stage.getKey(), stage.getValue()))
                .toList();
    }

    private static StageReading reading(String stage, int parallelism) {
        return new StageReading(
                stage,
                parallelism,
                count(stage, MetricNames.RECORDS),
                millis(stage, MetricNames.OWN_NANOS),
                millis(stage, MetricNames.CPU_NANOS),
                millis(stage, MetricNames.WAIT_IN_NANOS),
                millis(stage, MetricNames.WAIT_OUT_NANOS),
                count(stage, MetricNames.BYTES),
                count(stage, MetricNames.FAILURES),
                millis(stage, MetricNames.CORE_WAIT_NANOS),
                FinalMetrics.sum(stage, MetricNames.RECORDS_PER_OWN_SECOND),
                FinalMetrics.max(stage, MetricNames.RECORDS_PER_OWN_SECOND),
                ownMillis(stage, 0.5),
                ownMillis(stage, 0.99),
                ownMillis(stage, 1));
    }

    private static @Nullable Double ownMillis(String stage, double share) {
        Double nanos = FinalMetrics.quantile(stage, MetricNames.OWN_NANOS_PER_RECORD, share);
        return nanos == null ? null : Double.valueOf(nanos / NANOS_PER_MILLI);
    }

    private static @Nullable Long count(String stage, String metric) {
        Double sum = FinalMetrics.sum(stage, metric);
        return sum == null ? null : Long.valueOf(sum.longValue());
    }

    private static @Nullable Double millis(String stage, String metric) {
        Double sum = FinalMetrics.sum(stage, metric);
        return sum == null ? null : Double.valueOf(sum / NANOS_PER_MILLI);
    }
}
