package io.millrace.pipeline;

import io.millrace.source.RunStart;
import java.util.Optional;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;

/**
 * What a run goes on from.
 *
 * @param checkpoint of Flink, to be restored: its folder or address; empty: none
 * @param position the first position when there is no checkpoint; all before count as done
 * @param others whether a checkpoint of another run is taken
 */
public record Origin(Optional<String> checkpoint, long position, RunStart.OtherRuns others) {
    /** From nothing. */
    public static final Origin FRESH = new Origin(Optional.empty(), 0, RunStart.OtherRuns.REFUSED);

    /** A stage that the pipeline no longer has was without state. */
    private static final boolean ALLOW_STATE_OF_NOBODY = true;

    /** For {@link FlinkJobs#submit}. */
    public SavepointRestoreSettings restore() {
        return checkpoint
                .map(path -> SavepointRestoreSettings.forPath(path, ALLOW_STATE_OF_NOBODY))
                .orElseGet(SavepointRestoreSettings::none);
    }
}
