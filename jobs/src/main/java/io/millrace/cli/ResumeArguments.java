package io.millrace.cli;

import io.millrace.run.ResumeRequest;
import io.millrace.run.ResumeRequest.Mismatch;
import io.millrace.run.UsageException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name an earlier run to continue; a mixin for the commands that train. */
final class ResumeArguments {
    @Option(
            names = "--resume",
            arity = "0..1",
            fallbackValue = ResumeRequest.LATEST,
            paramLabel = "PATH",
            description = "Continue an earlier run: latest, the folder of a run, or a checkpoint or savepoint.")
    private @Nullable String from;

    @Option(names = "--force", description = "Resume although the checkpoint belongs to another pipeline.")
    private boolean force;

    /**
     * Returns the request that the options make.
     *
     * @throws UsageException when the options contradict each other
     */
    ResumeRequest request() {
        if (from == null) {
            if (force) {
                throw new UsageException("--force requires --resume");
            }
            return ResumeRequest.NONE;
        }
        return new ResumeRequest(Optional.of(from), force ? Mismatch.ACCEPT : Mismatch.REFUSE);
    }
}
