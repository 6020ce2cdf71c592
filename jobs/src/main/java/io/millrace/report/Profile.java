package io.millrace.report;

import io.millrace.rest.StageReading;
import io.millrace.sink.OperationTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What each operation of a run took, on both sides: the stages of the data's way in all their slots, and what the trainers
 * did. Pure.
 *
 * @param data the stages' own times
 * @param training the trainers', waiting included
 */
public record Profile(List<Row> data, List<Row> training) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST = 0.99;

    /** The stages whose parts the trainers' operations are. */
    private static final Set<String> TRAINERS = Set.of("transfer", "train");

    /** Nothing known. */
    public static final Profile EMPTY = new Profile(List.of(), List.of());

    /**
     * An operation. Null is unknown.
     *
     * @param count how often: samples of a stage, batches or steps of a trainer
     * @param p99Millis all but one in a hundred took no longer
     * @param share of what all operations of its side took, as far as that is known, 0 to 1
     */
    public record Row(
            String operation,
            @Nullable Long count,
            @Nullable Double totalMillis,
            @Nullable Double p99Millis,
            @Nullable Double share) {
        /** Null also where nothing was done. */
        public @Nullable Double meanMillis() {
            return count == null || totalMillis == null || count == 0 ? null : Double.valueOf(totalMillis / count);
        }
    }

    public Profile {
        data = List.copyOf(data);
        training = List.copyOf(training);
    }

    /**
     * Puts together what was measured.
     *
     * @param operations the trainers'
     */
    public static Profile of(RunSummary summary, List<OperationTime> operations) {
        List<Row> data = new ArrayList<>();
        for (StageReading stage : summary.stages()) {
            if (!TRAINERS.contains(stage.name())) {
                data.add(new Row(stage.name(), stage.records(), stage.ownMillis(), stage.ownP99Millis(), null));
            }
        }
        List<Row> training = new ArrayList<>();
        for (OperationTime time : operations) {
            training.add(new Row(
                    time.name(),
                    time.count(),
                    time.totalNanos() / NANOS_PER_MILLI,
                    time.quantileNanos(MOST) / NANOS_PER_MILLI,
                    null));
        }
        RunSummary.Checkpoints checkpoints = summary.counts().checkpoints();
        if (checkpoints != null && checkpoints.count() > 0) {
            training.add(new Row("checkpoint copy", checkpoints.count(), checkpoints.copyMillis(), null, null));
        }
        return new Profile(shared(data), shared(training));
    }

    private static List<Row> shared(List<Row> rows) {
        double all = rows.stream()
                .map(Row::totalMillis)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sum();
        return rows.stream()
                .map(row -> new Row(
                        row.operation,
                        row.count,
                        row.totalMillis,
                        row.p99Millis,
                        row.totalMillis == null || all == 0 ? null : Double.valueOf(row.totalMillis / all)))
                .toList();
    }
}
