package io.millrace.sink.figures;

import io.millrace.sample.Counted;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reports of a run's trainers that have arrived.
 *
 * <p>Tested by {@code AsynchronousTrainingTest} and {@code RanksITCase}.
 *
 * @param ranks the reports by rank, at least one
 * @param quarantined the number of distinct bad samples of all trainers; null when they were not counted
 */
public record TrainReports(List<Ranked> ranks, @Nullable Long quarantined) implements Serializable {
    /** The report of one trainer. */
    public record Ranked(int rank, TrainReport report) implements Serializable {}

    public TrainReports {
        ranks = ranks.stream().sorted(Comparator.comparingInt(Ranked::rank)).toList();
        if (ranks.isEmpty()) {
            throw new IllegalArgumentException("reports of trainers: expected at least one, found none");
        }
    }

    /** Creates reports without a count of distinct bad samples. */
    public TrainReports(List<Ranked> ranks) {
        this(ranks, null);
    }

    /** Returns these reports with the number of distinct bad samples. */
    public TrainReports counting(long distinct) {
        return new TrainReports(ranks, distinct);
    }

    /** Returns the value of the job's accumulator {@link TrainReport#ACCUMULATOR}; empty when no trainer began. */
    public static Optional<TrainReports> of(@Nullable Object accumulated) {
        return accumulated instanceof TrainReports reports ? Optional.of(reports) : Optional.empty();
    }

    /** Returns a few words, because Flink's own client prints the accumulators of a job when it ends. The summary has all figures. */
    @Override
    public String toString() {
        TrainerCounters counters = whole().counters();
        return Counted.of(counters.samples(), "sample") + " in " + Counted.of(counters.steps(), "step");
    }

    /** Returns the union of these reports and other reports. */
    TrainReports plus(TrainReports others) {
        return new TrainReports(
                Stream.concat(ranks.stream(), others.ranks.stream()).toList());
    }

    /**
     * Returns the report of the run as a whole. Samples, bytes, rows and operations are summed. Steps, epochs and the
     * end are those of the trainer that has done the fewest steps. Each time is the longest of all trainers. Losses are
     * means weighted by samples, and accuracies are plain means. The hash is present when it is the same for all
     * trainers, as it is for replicas. If the distinct bad samples were not counted, their number is the largest that a
     * trainer reported.
     */
    public TrainReport whole() {
        if (ranks.size() == 1) {
            return ranks.get(0).report();
        }
        return new TrainReport(
                reports().allMatch(TrainReport::finished),
                TrainerCounters.whole(reports().map(TrainReport::counters).toList()),
                pace(),
                result(),
                epochs(),
                task(),
                attempt());
    }

    private Stream<TrainReport> reports() {
        return ranks.stream().map(Ranked::report);
    }

    private TrainReport.Pace pace() {
        return new TrainReport.Pace(
                reports()
                        .map(report -> report.pace().epochMillis())
                        .min(Comparator.comparingInt(List::size))
                        .orElseThrow(),
                most(report -> report.pace().trainNanos()),
                sum(report -> report.pace().warmSamples()),
                most(report -> report.pace().warmNanos()));
    }

    private TrainReport.Result result() {
        TrainReport.Result first = ranks.get(0).report().result();
        boolean same = reports()
                .allMatch(report -> Objects.equals(report.result().parametersSha256(), first.parametersSha256()));
        return new TrainReport.Result(
                mean(report -> report.result().finalLoss(), report -> report.counters()
                        .samples()),
                mean(report -> report.result().evaluationLoss(), report -> report.counters()
                        .samples()),
                mean(report -> report.result().accuracy(), report -> 1),
                same ? first.parametersSha256() : null,
                first.parameterCount());
    }

    private TrainReport.Epochs epochs() {
        return new TrainReport.Epochs(
                EpochRecord.whole(
                        reports().map(report -> report.epochs().records()).toList()),
                Math.toIntExact(reports()
                        .mapToLong(report -> report.epochs().earlier())
                        .min()
                        .orElse(0)));
    }

    private TaskCounters task() {
        return new TaskCounters(
                quarantined == null ? most(report -> report.task().quarantined()) : quarantined,
                sum(report -> report.task().quarantinedRows()),
                most(report -> report.task().assembleNanos()),
                (int) most(report -> report.task().restarts()),
                ranks.get(0).report().task().checkpoints());
    }

    private TrainReport.Attempt attempt() {
        return new TrainReport.Attempt(
                coreWaitNanos(),
                most(report -> report.attempt().refillNanos()),
                OperationTime.sum(reports().flatMap(report -> report.attempt().operations().stream())),
                reports().map(report -> report.attempt().columnBytes()).reduce(ColumnBytes.NONE, ColumnBytes::plus),
                DeviceFigures.whole(reports().map(report -> report.attempt().device())));
    }

    /** Returns the sum; null when it is not known for a trainer. */
    private @Nullable Long coreWaitNanos() {
        long sum = 0;
        for (Ranked ranked : ranks) {
            Long one = ranked.report.attempt().coreWaitNanos();
            if (one == null) {
                return null;
            }
            sum += one;
        }
        return sum;
    }

    private long sum(ToLongFunction<TrainReport> value) {
        return reports().mapToLong(value).sum();
    }

    private long most(ToLongFunction<TrainReport> value) {
        return reports().mapToLong(value).max().orElseThrow();
    }

    /** Returns the weighted mean; null when the value of a trainer is not known. */
    private @Nullable Double mean(Function<TrainReport, @Nullable Double> value, ToLongFunction<TrainReport> weight) {
        double weighted = 0;
        double weights = 0;
        for (Ranked ranked : ranks) {
            Double one = value.apply(ranked.report);
            if (one == null) {
                return null;
            }
            weighted += one * weight.applyAsLong(ranked.report);
            weights += weight.applyAsLong(ranked.report);
        }
        return weights == 0 ? null : Double.valueOf(weighted / weights);
    }
}
