package io.millrace.report;

import io.millrace.rest.StageReading;
import io.millrace.sink.figures.OperationTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The time of each operation of a run: of the data stages in all their slots, and of the trainers. Pure.
 *
 * @param data the data stages, with their own times
 * @param training the operations of the trainers, including waiting
 * @param code the stages that call code of the user, with profiles of it
 */
public record Profile(List<Row> data, List<Row> training, List<StageReading> code) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST = 0.99;

    /** The stages that the operations of the trainers replace. */
    private static final Set<String> TRAINERS = Set.of("transfer", "train");

    /** A profile without any figures. */
    public static final Profile EMPTY = new Profile(List.of(), List.of(), List.of());

    /**
     * An operation. Unknown values are null.
     *
     * @param operation the name of the operation
     * @param count the number of times that it was done, which is the number of samples for a stage, and of batches or
     *     steps for a trainer
     * @param totalMillis the time of the operation over all these times
     * @param p99Millis the time that 99 % of the operations did not exceed
     * @param share the share of the time of all known operations in the same list, 0 to 1
     */
    public record Row(
            String operation,
            @Nullable Long count,
            @Nullable Double totalMillis,
            @Nullable Double p99Millis,
            @Nullable Double share) {
        /** Returns the mean time; null when it is unknown or the operation was never done. */
        public @Nullable Double meanMillis() {
            return count == null || totalMillis == null || count == 0 ? null : Double.valueOf(totalMillis / count);
        }
    }

    public Profile {
        data = List.copyOf(data);
        training = List.copyOf(training);
        code = List.copyOf(code);
    }

    /**
     * Returns the profile of a run.
     *
     * @param operations the operations of the trainers
     */
    public static Profile of(RunSummary summary, List<OperationTime> operations) {
        List<Row> data = new ArrayList<>();
        for (StageReading stage : summary.stages()) {
            if (stage.isMeasured() && !TRAINERS.contains(stage.name())) {
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
        return new Profile(
                shared(data),
                shared(training),
                summary.stages().stream().filter(StageReading::callsCode).toList());
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
