package io.millrace.sink;

import io.millrace.device.DeviceSpec;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.trace.Recording;
import io.millrace.train.spec.TrainSpec;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the training operator needs to know.
 *
 * @param plan which position belongs to which batch
 * @param train what to train
 * @param opener makes the training step
 * @param ring batches in memory at a time, filled or trained on, at least 2
 * @param maxQuarantined the share of samples that may be bad, 0 to 1
 * @param folder the run's folder, which exists
 * @param ledger whether the samples of each step are written down
 * @param events whether curves are written for TensorBoard
 * @param initialState the folder {@code model/state} of a run to go on from, see {@link SavedRun}, where Flink has no
 *     checkpoint; null to begin anew
 * @param trainers how many, what each trains and which rows it gets; {@code train} is rank 0's
 * @param target who is told in the task itself when training ends
 * @param recording in which all tasks of the job take part; null: in none
 * @param device where batches live
 */
public record SinkSpec(
        BatchPlan plan,
        TrainSpec train,
        TrainStepOpener opener,
        int ring,
        double maxQuarantined,
        String folder,
        Ledger ledger,
        Events events,
        @Nullable String initialState,
        Trainers trainers,
        ReportTarget target,
        @Nullable Recording recording,
        DeviceSpec device)
        implements Serializable {
    /** For batches on the host. */
    public SinkSpec(
            BatchPlan plan,
            TrainSpec train,
            TrainStepOpener opener,
            int ring,
            double maxQuarantined,
            String folder,
            Ledger ledger,
            Events events,
            @Nullable String initialState,
            Trainers trainers,
            ReportTarget target,
            @Nullable Recording recording) {
        this(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                ledger,
                events,
                initialState,
                trainers,
                target,
                recording,
                DeviceSpec.HOST);
    }

    /** The same, telling another when training ends. */
    public SinkSpec telling(ReportTarget other) {
        return new SinkSpec(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                ledger,
                events,
                initialState,
                trainers,
                other,
                recording,
                device);
    }

    /** The same, recorded. */
    public SinkSpec recorded(Recording by) {
        return new SinkSpec(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                ledger,
                events,
                initialState,
                trainers,
                target,
                by,
                device);
    }

    /** The same with batches on another device. */
    public SinkSpec on(DeviceSpec other) {
        return new SinkSpec(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                ledger,
                events,
                initialState,
                trainers,
                target,
                recording,
                other);
    }

    public SinkSpec {
        if (ring < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + ring);
        }
        if (!(maxQuarantined >= 0 && maxQuarantined <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + maxQuarantined);
        }
    }

    /** For a run from the beginning, without a ledger. */
    public SinkSpec(
            BatchPlan plan, TrainSpec train, TrainStepOpener opener, int ring, double maxQuarantined, String folder) {
        this(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                Ledger.NONE,
                Events.NONE,
                null,
                new Trainers(RankRows.none(plan), List.of(train)),
                ReportTarget.NONE,
                null);
    }

    /** The same, going on from the folder {@code model/state} of a run that ended. */
    public SinkSpec goingOnFrom(String state) {
        return new SinkSpec(
                plan,
                train,
                opener,
                ring,
                maxQuarantined,
                folder,
                ledger,
                events,
                state,
                trainers,
                target,
                recording,
                device);
    }

    /** The same as one rank sees it: its own folders, and what it trains. */
    SinkSpec of(int rank) {
        String state = initialState;
        if (state != null && rank > 0) {
            Path run = Path.of(state, "..", "..").normalize(); // state is the folder model/state of a run
            state = Trainers.folder(run, rank)
                    .resolve("model")
                    .resolve(SavedRun.FOLDER)
                    .toString();
        }
        return new SinkSpec(
                plan,
                trainers.specs().get(rank),
                opener,
                ring,
                maxQuarantined,
                Trainers.folder(Path.of(folder), rank).toString(),
                ledger,
                events,
                state,
                trainers,
                target,
                recording,
                device);
    }
}
