package io.millrace.sink.spec;

import io.millrace.device.DeviceSpec;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.figures.ReportTarget;
import io.millrace.trace.Recording;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The specification of the training operator, or of the operator that delivers batches to clients. Flink sends it to each
 * trainer's task.
 *
 * @param run the run and its files
 * @param train the training of each trainer
 * @param device the device of each trainer
 * @param start the state that the run starts from
 * @param observers the observers of the run within its tasks
 * @param serve the delivery to clients; null for a run that trains
 */
public record SinkSpec(
        RunSpec run,
        TrainerSpec train,
        RingSpec device,
        InitialState start,
        RunObservers observers,
        @Nullable ServeSpec serve)
        implements Serializable {
    /** Creates the specification of a new run without observers. */
    public SinkSpec(RunSpec run, TrainerSpec train, RingSpec device) {
        this(run, train, device, InitialState.NEW, RunObservers.NONE, null);
    }

    /** Returns the same run on another device. */
    public SinkSpec on(DeviceSpec other) {
        RingSpec ring = new RingSpec(other, device.batchesInFlight());
        return new SinkSpec(run, train, ring, start, observers, serve);
    }

    /** Returns the same run with another training. */
    public SinkSpec with(TrainerSpec other) {
        return new SinkSpec(run, other, device, start, observers, serve);
    }

    /** Returns the same run from the folder {@code model/state} of a finished run. */
    public SinkSpec startingFrom(String state) {
        return new SinkSpec(run, train, device, new InitialState(state), observers, serve);
    }

    /** Returns the same run, whose reports go to another target. */
    public SinkSpec reportingTo(ReportTarget target) {
        return new SinkSpec(run, train, device, start, new RunObservers(target, observers.recording()), serve);
    }

    /** Returns the same run, in which all tasks take part in a recording. */
    public SinkSpec recorded(Recording recording) {
        return new SinkSpec(run, train, device, start, new RunObservers(observers.target(), recording), serve);
    }

    /** Returns the same run, whose batches go to clients. */
    public SinkSpec served(ServeSpec delivery) {
        return new SinkSpec(run, train, device, start, observers, delivery);
    }

    /** Returns the specification for one rank, with the rank's training, folder and state. */
    public SinkSpec forRank(int rank) {
        return new SinkSpec(run.forRank(rank), train.forRank(rank), device, start.forRank(rank), observers, serve);
    }
}
