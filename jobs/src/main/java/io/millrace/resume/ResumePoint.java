package io.millrace.resume;

import io.millrace.source.RunIdentity;

/**
 * A state that a run can go on from.
 *
 * @param kind whose format it has
 * @param path its address, as Flink or the training operator takes it
 * @param identity of the run that wrote it
 * @param position the first position that is not in it, where that is known without Flink; else 0
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
