package io.millrace.resume;

import io.millrace.source.RunIdentity;

/**
 * A state that a run can go on from.
 *
 * @param kind whose format it has
 * @param path its address, as Flink or the training operator takes it
 * @param identity of the run that wrote it
 * @param position of a final state, the first that is not in it; of a checkpoint, the first that was not handed out: some
 *     before it may still be on their way, in the checkpoint
 */
public record ResumePoint(Kind kind, String path, RunIdentity identity, long position) {
    /** Who wrote it. */
    public enum Kind {
        /** Flink: a checkpoint or a savepoint. */
        CHECKPOINT,
        /** The trainer, at the end of the run. */
        FINAL_STATE
    }
}
