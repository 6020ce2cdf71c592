package io.millrace.sink.spec;

import io.millrace.sink.figures.ReportTarget;
import io.millrace.trace.Recording;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The observers of a run within its tasks.
 *
 * @param target the receiver of each trainer's report when its training ends
 * @param recording the recording that all tasks of the job take part in; null for none
 */
public record RunObservers(ReportTarget target, @Nullable Recording recording) implements Serializable {
    /** No observers. */
    public static final RunObservers NONE = new RunObservers(ReportTarget.NONE, null);
}
