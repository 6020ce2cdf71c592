package io.millrace.sink.trainer;

import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import io.millrace.train.StepTimes;
import io.millrace.train.TrainStep.StepResult;
import org.jspecify.annotations.Nullable;

/** The trace of the trainer's work, if the run is recorded. Created and called on the trainer's thread. */
final class TrainerTrace {
    private final @Nullable Track track = Trace.track();

    /**
     * Adds the time in which a batch was enqueued on a device that works asynchronously. {@link DeviceTrace} shows the work
     * itself.
     */
    void enqueued(long began, long ended) {
        add("enqueue", began, ended);
    }

    void waited(long began, long ended) {
        add("wait for a batch", began, ended);
    }

    void evaluated(long began, long ended) {
        add("evaluation", began, ended);
    }

    void copied(long began, long ended) {
        if (track != null) {
            track.addRare("checkpoint: copy the state", began, ended);
        }
    }

    /** Adds a step. Its parts are shown one after another. */
    void trained(long began, StepResult result) {
        if (track == null) {
            return;
        }
        StepTimes parts = result.parts();
        long transferred = began + result.transferNanos();
        add("transfer", began, transferred);
        if (parts == null) {
            return;
        }
        add("step", transferred, transferred + result.computeNanos());
        long at = transferred;
        at = part("forward", at, parts.forward());
        at = part("backward", at, parts.backward());
        at = part("exchange", at, parts.exchange());
        add("optimizer", at, at + parts.optimizer());
    }

    private long part(String name, long began, long nanos) {
        if (nanos == StepTimes.NONE) {
            return began;
        }
        add(name, began, began + nanos);
        return began + nanos;
    }

    private void add(String name, long began, long ended) {
        if (track != null) {
            track.add(name, began, ended);
        }
    }
}
