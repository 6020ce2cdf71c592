package io.millrace.sink;

import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the trainers of a run did, as far as they told.
 *
 * @param ranks at least one, by rank
 * @param quarantined distinct bad samples of all; null when nobody has counted them
 */
public record TrainReports(List<Ranked> ranks, @Nullable Long quarantined) implements Serializable {
    /** One trainer's. */
    public record Ranked(int rank, TrainReport report) implements Serializable {}

    public TrainReports {
        ranks = ranks.stream().sorted(Comparator.comparingInt(Ranked::rank)).toList();
        if (ranks.isEmpty()) {
            throw new IllegalArgumentException("no trainer told anything");
        }
    }

    /** Whose bad samples nobody has counted together. */
    public TrainReports(List<Ranked> ranks) {
        this(ranks, null);
    }

    /** The same with the distinct bad samples counted. */
    public TrainReports counting(long distinct) {
        return new TrainReports(ranks, distinct);
    }

    /** What the job's accumulator {@link TrainReport#ACCUMULATOR} holds; empty when no trainer began. */
    public static Optional<TrainReports> of(@Nullable Object accumulated) {
        return accumulated instanceof TrainReports reports ? Optional.of(reports) : Optional.empty();
    }

    /** These and those. */
    TrainReports and(TrainReports others) {
        return new TrainReports(
                Stream.concat(ranks.stream(), others.ranks.stream()).toList());
    }

    /**
     * The run as a whole: samples, bytes, rows and operations are summed; steps, epochs and the end are the least
     * advanced trainer's; times are the longest; losses are means by samples, accuracies plain means. The hash is there
     * when all trainers have the same, as those that are kept in step do. Where nobody counted the distinct bad samples
     * they are those of the trainer that met most.
     */
    public TrainReport whole() {
        TrainReport first = ranks.get(0).report();
        if (ranks.size() == 1) {
            return first;
        }
        boolean same =
                ranks.stream().allMatch(r -> Objects.equals(r.report.parametersSha256(), first.parametersSha256()));
        return new TrainReport(
                ranks.stream().allMatch(r -> r.report.finished()),
                least(TrainReport::steps),
                sum(TrainReport::samples),
                sum(TrainReport::sentBytes),
                ranks.stream()
                        .map(r -> r.report.epochMillis())
                        .min(Comparator.comparingInt(List::size))
                        .orElseThrow(),
                firstStepAtMillis(),
                most(TrainReport::trainNanos),
                most(TrainReport::starvedNanos),
                most(TrainReport::transferNanos),
                most(TrainReport::stepNanos),
                most(TrainReport::evaluationNanos),
                sum(TrainReport::cpuNanos),
                sum(TrainReport::warmSamples),
                most(TrainReport::warmNanos),
                mean(TrainReport::finalLoss, TrainReport::samples),
                mean(TrainReport::evaluationLoss, TrainReport::samples),
                mean(TrainReport::accuracy, report -> 1),
                same ? first.parametersSha256() : null,
                first.parameterCount(),
                quarantined == null ? most(TrainReport::quarantined) : quarantined,
                sum(TrainReport::quarantinedRows),
                most(TrainReport::assembleNanos),
                (int) most(TrainReport::restarts),
                first.checkpoints(),
                least(TrainReport::earlierSteps),
                sum(TrainReport::earlierSamples),
                coreWaitNanos(),
                OperationTime.sum(ranks.stream().flatMap(r -> r.report.operations().stream())),
                ranks.stream().map(r -> r.report.columnBytes()).reduce(ColumnBytes.NONE, ColumnBytes::and),
                DeviceFigures.whole(ranks.stream().map(r -> r.report.device())));
    }

    /** The sum; null when a trainer does not know its own. */
    private @Nullable Long coreWaitNanos() {
        long sum = 0;
        for (Ranked ranked : ranks) {
            Long one = ranked.report.coreWaitNanos();
            if (one == null) {
                return null;
            }
            sum += one;
        }
        return sum;
    }

    private long firstStepAtMillis() {
        OptionalLong earliest = ranks.stream()
                .mapToLong(r -> r.report.firstStepAtMillis())
                .filter(millis -> millis >= 0)
                .min();
        return earliest.orElse(-1);
    }

    private long sum(ToLongFunction<TrainReport> value) {
        return ranks.stream().mapToLong(r -> value.applyAsLong(r.report)).sum();
    }

    private long least(ToLongFunction<TrainReport> value) {
        return ranks.stream().mapToLong(r -> value.applyAsLong(r.report)).min().orElseThrow();
    }

    private long most(ToLongFunction<TrainReport> value) {
        return ranks.stream().mapToLong(r -> value.applyAsLong(r.report)).max().orElseThrow();
    }

    /** Null when a trainer does not know the value. */
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
