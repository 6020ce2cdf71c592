package io.millrace.resume;

import io.millrace.source.RunIdentity;

/**
 * A state from which a run can resume.
 *
 * @param kind the writer and format of the state
 * @param path the address, in the form that Flink or the training operator reads
 * @param identity the identity of the run that wrote it
 * @param position in a final state, the first position that was not trained on; in a checkpoint, the first position that no reader
 *     received: samples of earlier positions may be in the checkpoint
 */
public record ResumePoint(Kind kind, String path, RunIdentity identity, long position) {
    /** The kinds of states. */
    public enum Kind {
        /** A checkpoint or a savepoint, which Flink wrote. */
        CHECKPOINT,
        /** A final state, which the trainer wrote at the end of the run. */
        FINAL_STATE
    }
}
