package io.millrace.report;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import io.millrace.metrics.StageFigures;
import io.millrace.pipeline.WireColumn;
import io.millrace.rest.StageReading;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.figures.TrainerCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The assembly of the summary of a run from the figures of its parts. Pure, except that it reads the versions of the
 * program.
 */
public final class RunResult {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;

    /** The bytes of a row's position, index and label, which cross the network with every row. */
    private static final int ROW_OVERHEAD_BYTES = 3 * Long.BYTES;

    private RunResult() {}

    /**
     * Returns the summary of a run.
     *
     * @param name the name of the pipeline
     * @param status the way in which the run ended
     * @param message the reason when the run did not finish; null otherwise
     * @param setup the configured setup; the trainers' reports replace its device
     * @param startedAtMillis the wall-clock time at the start of the program, in milliseconds since 1970
     * @param endedAtMillis the wall-clock time at the end of training, in milliseconds since 1970
     * @param reports the trainers' reports; null when no trainer has begun
     * @param stages the stages on the data servers
     * @param columns the wire columns, each with the reason for its form
     * @param verdict the limit of the throughput; null when it was not determined
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
            List<WireColumn> columns,
            @Nullable VerdictSummary verdict) {
        TrainReport report = reports == null ? null : reports.whole();
        long bytesPerSample = bytesPerSample(report, columns);
        double wallSeconds = (endedAtMillis - startedAtMillis) / 1e3;
        boolean restarted = report != null && report.task().restarts() > 0;
        List<StageReading> all = new ArrayList<>(
                restarted ? stages.stream().map(StageReading::markedAtLeast).toList() : stages);
        if (report != null && reports != null) {
            all.addAll(
                    setup.belongsToClients()
                            ? clientStages(report, reports.ranks().size(), bytesPerSample)
                            : trainerStages(report, reports.ranks().size(), bytesPerSample));
        }
        RunSummary.WireColumns wire = WireBytes.of(columns, report);
        return new RunSummary(
                name,
                status,
                message,
                setup.with(report == null ? null : report.attempt().device()),
                counts(report),
                speed(report, wallSeconds, startedAtMillis, bytesPerSample),
                setup.belongsToClients() ? WireBytes.withoutSavings(wire) : wire,
                result(report),
                ranks(reports),
                List.of(),
                verdict,
                all,
                Versions.ofRun(report == null ? null : report.attempt().device()));
    }

    private static RunSummary.Counts counts(@Nullable TrainReport report) {
        return report == null
                ? new RunSummary.Counts(0, 0, 0, 0, 0, null, null)
                : new RunSummary.Counts(
                        report.pace().epochMillis().size(),
                        report.counters().steps(),
                        report.counters().samples(),
                        report.task().quarantined(),
                        report.task().quarantinedRows(),
                        report.task().restarts(),
                        checkpoints(report.task().checkpoints()));
    }

    private static RunSummary.Checkpoints checkpoints(SnapshotCost cost) {
        return new RunSummary.Checkpoints(
                cost.count(), cost.bytes(), cost.drainNanos() / NANOS_PER_MILLI, cost.copyNanos() / NANOS_PER_MILLI);
    }

    private static RunSummary.Speed speed(
            @Nullable TrainReport report, double wallSeconds, long startedAtMillis, long bytesPerSample) {
        if (report == null) {
            return new RunSummary.Speed(wallSeconds, null, null, null, List.of(), null, null, bytesPerSample);
        }
        return new RunSummary.Speed(
                wallSeconds,
                report.counters().firstStepAtMillis() < 0
                        ? null
                        : (report.counters().firstStepAtMillis() - startedAtMillis) / 1e3,
                (report.counters().samples() - report.counters().earlierSamples()) / wallSeconds,
                steady(report),
                report.pace().epochMillis().stream().map(millis -> millis / 1e3).toList(),
                report.pace().trainNanos() == 0
                        ? null
                        : (double) report.counters().times().starvedNanos()
                                / report.pace().trainNanos(),
                report.counters().times().evaluationNanos() / NANOS_PER_SECOND,
                bytesPerSample);
    }

    /** Returns the throughput without start and warm-up, in samples per second; null when it is unknown. */
    public static @Nullable Double steady(TrainReport report) {
        return report.pace().warmNanos() == 0
                ? null
                : Double.valueOf(report.pace().warmSamples()
                        * NANOS_PER_SECOND
                        / report.pace().warmNanos());
    }

    private static RunSummary.Result result(@Nullable TrainReport report) {
        if (report == null) {
            return new RunSummary.Result(null, null, null, List.of());
        }
        Double loss = report.result().evaluationLoss() != null
                ? report.result().evaluationLoss()
                : report.result().finalLoss();
        return new RunSummary.Result(
                loss,
                report.result().accuracy(),
                report.result().parametersSha256(),
                report.epochs().records());
    }

    /**
     * Returns one entry for each trainer if there are several. The list is empty for a single trainer, whose figures
     * are those of the run.
     */
    private static List<RunSummary.Rank> ranks(@Nullable TrainReports reports) {
        return reports == null || reports.ranks().size() == 1
                ? List.of()
                : reports.ranks().stream().map(RunResult::rank).toList();
    }

    private static RunSummary.Rank rank(TrainReports.Ranked ranked) {
        TrainReport report = ranked.report();
        return new RunSummary.Rank(
                ranked.rank(),
                report.counters().steps(),
                report.counters().samples(),
                report.result().evaluationLoss() != null
                        ? report.result().evaluationLoss()
                        : report.result().finalLoss(),
                report.result().accuracy(),
                report.pace().trainNanos() == 0
                        ? null
                        : (double) report.counters().times().starvedNanos()
                                / report.pace().trainNanos(),
                report.result().parametersSha256());
    }

    /**
     * Returns the mean size of a row in bytes. The size is measured if rows have arrived, because ragged and sparse
     * rows differ in size.
     */
    private static long bytesPerSample(@Nullable TrainReport report, List<WireColumn> columns) {
        long bytes = report == null || report.counters().samples() == 0
                ? columns.stream()
                        .mapToLong(column -> column.column().rowBytes())
                        .sum()
                : Math.round((double) report.counters().wireBytes()
                        / report.counters().samples());
        return bytes + ROW_OVERHEAD_BYTES;
    }

    /** Returns the parts of the training operator as stages beside the others. */
    private static List<StageReading> trainerStages(TrainReport report, int trainers, long bytesPerSample) {
        TrainerCounters.Times times = report.counters().times();
        return List.of(
                assembly(report, trainers, bytesPerSample),
                stage("transfer", trainers, report, bytesPerSample, times.transferNanos()),
                training(report, trainers, bytesPerSample)
                        .with(Figures.CPU_NANOS, times.cpuNanos())
                        .with(Figures.CORE_WAIT_NANOS, report.attempt().coreWaitNanos()));
    }

    /** Returns the work for the clients and their training loops as stages. Of a loop, only the durations are known. */
    private static List<StageReading> clientStages(TrainReport report, int clients, long bytesPerSample) {
        return List.of(assembly(report, clients, bytesPerSample), training(report, clients, bytesPerSample));
    }

    private static StageReading assembly(TrainReport report, int trainers, long bytesPerSample) {
        return stage("assemble", trainers, report, bytesPerSample, report.task().assembleNanos());
    }

    private static StageReading training(TrainReport report, int trainers, long bytesPerSample) {
        TrainerCounters.Times times = report.counters().times();
        return stage("train", trainers, report, bytesPerSample, times.stepNanos())
                .with(Figures.WAIT_IN_NANOS, times.starvedNanos())
                .with(Figures.FAILURES, report.task().quarantinedRows());
    }

    private static StageReading stage(
            String name, int parallelism, TrainReport report, long bytesPerSample, long ownNanos) {
        long records = report.counters().samples();
        return StageReading.unknown(name, parallelism)
                .with(Figures.RECORDS, records)
                .with(Figures.BYTES_PRODUCED, records * bytesPerSample)
                .with(Figures.OWN_NANOS, ownNanos);
    }

    /**
     * Returns the last figures of the stages in this process, see {@link FinalMetrics}. Figures that were not reported
     * are null.
     */
    public static List<StageReading> finalStages(Map<String, Integer> parallelisms) {
        return parallelisms.entrySet().stream()
                .map(stage -> FinalMetrics.figures(stage.getKey())
                        .map(figures -> reading(stage.getKey(), stage.getValue(), figures))
                        .orElseGet(() -> StageReading.unknown(stage.getKey(), stage.getValue())))
                .toList();
    }

    /**
     * Returns the last figures of the stages of a job on a cluster. Figures that lack a part of the run are marked: those of a stage
     * whose slots have not all reported their last ones.
     *
     * @param latest the latest readings
     * @param ended the last figures of the slots that have ended, by stage
     */
    public static List<StageReading> finalStages(List<StageReading> latest, Map<String, StageFigures> ended) {
        return latest.stream()
                .map(reading -> finalStage(reading, ended.get(reading.name())))
                .toList();
    }

    private static StageReading reading(String stage, int slots, StageFigures figures) {
        FigureValues values = FigureValues.read(Figures.statistics(Owner.DATA_STAGE), figures::value);
        return new StageReading(stage, slots, values, figures.code(), false);
    }

    private static StageReading finalStage(StageReading latest, @Nullable StageFigures ended) {
        if (ended == null) {
            return latest.markedAtLeast();
        }
        int slots = latest.parallelism() == null ? ended.slots() : latest.parallelism();
        StageReading last = reading(latest.name(), slots, ended);
        if (ended.slots() >= slots) {
            return last;
        }
        Long read = latest.records();
        Long counted = last.records();
        boolean older = read == null || (counted != null && counted > read);
        return new StageReading(
                latest.name(),
                slots,
                older ? last.values() : latest.values(),
                older ? ended.code() : latest.code(),
                true);
    }
}
