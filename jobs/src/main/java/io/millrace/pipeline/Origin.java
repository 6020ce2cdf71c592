package io.millrace.pipeline;

import io.millrace.source.RunStart;
import java.util.Optional;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;

/**
 * The origin of a run: the checkpoint or the position that it starts from.
 *
 * @param checkpoint the folder or address of the Flink checkpoint to restore; empty for none
 * @param position the first position when there is no checkpoint; all earlier positions count as done
 * @param others whether a checkpoint of another run is accepted
 */
public record Origin(Optional<String> checkpoint, long position, RunStart.OtherRuns others) {
    /** The origin of a new run. */
    public static final Origin FRESH = new Origin(Optional.empty(), 0, RunStart.OtherRuns.REFUSED);

    /** Flink may ignore the state of stages that the pipeline no longer has, because such stages have no state. */
    private static final boolean ALLOW_UNCLAIMED_STATE = true;

    /** Returns the settings for {@link FlinkJobs#submit}. */
    public SavepointRestoreSettings restore() {
        return checkpoint
                .map(path -> SavepointRestoreSettings.forPath(path, ALLOW_UNCLAIMED_STATE))
                .orElseGet(SavepointRestoreSettings::none);
    }
}
