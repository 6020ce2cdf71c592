package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.resume.ResumePoint;
import io.millrace.resume.ResumePoints;
import io.millrace.sample.Counted;
import io.millrace.source.RunIdentity;
import io.millrace.source.RunStart;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A request to continue an earlier run.
 *
 * @param from {@value #LATEST}, the folder of a run, a checkpoint or a savepoint; empty for a new run
 * @param mismatch the reaction if the earlier run had another pipeline
 */
public record ResumeRequest(Optional<String> from, Mismatch mismatch) {
    /** The value that stands for the latest run of a pipeline. */
    public static final String LATEST = "latest";

    /** The request for a new run, which begins at the first step. */
    public static final ResumeRequest NONE = new ResumeRequest(Optional.empty(), Mismatch.REFUSE);

    /** The keys that assign rows to trainers. A trainer's state fits only the assignment that it was saved with. */
    private static final List<String> TRAINERS = List.of("ranks", "share");

    /** The reaction to an earlier run of another pipeline. */
    public enum Mismatch {
        REFUSE,
        ACCEPT
    }

    /**
     * Finds the state to continue from.
     *
     * @return the state; empty when this is a request for a new run
     * @throws IOException when the requested state does not exist or cannot be read
     */
    Optional<ResumePoint> find(PipelineConfig config) throws IOException {
        if (from.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                from.get().equals(LATEST)
                        ? ResumePoints.latest(
                                config.run().folder(),
                                config.recovery().checkpoint().flatMap(checkpoint -> checkpoint.path()))
                        : ResumePoints.at(from.get()));
    }

    /**
     * Checks that a run can continue from a state.
     *
     * @throws UsageException when the state belongs to another pipeline and the mismatch is not accepted, or the run has ended
     */
    void require(ResumePoint found, PipelineConfig config, RunPlan plan) {
        requireSamePipeline(
                found,
                PositionSettings.of(config, plan, config.run().folder()),
                plan.batches()
                        .firstStepFrom(Math.min(found.position(), plan.batches().positions())));
        if (found.kind() == ResumePoint.Kind.FINAL_STATE
                && found.position() >= plan.batches().positions()) {
            throw new UsageException("the run in " + found.identity().folder() + " has finished its "
                    + Counted.of(config.data().epochs(), "epoch")
                    + (config.data().mix().isPresent()
                            ? ": to continue it, add steps to the last phase of mix, or another phase"
                            : ": to continue it, increase the number of epochs, for example --set dataset.epochs="
                                    + 2L * config.data().epochs()));
        }
    }

    private void requireSamePipeline(ResumePoint found, RunIdentity ours, long step) {
        List<String> differences = ours.differencesTo(found.identity(), step);
        if (mismatch == Mismatch.REFUSE && !differences.isEmpty()) {
            throw new UsageException("cannot resume from " + found.path() + ": " + RunStart.refusal(differences)
                    + "\nRestore these settings, or add --force to continue in spite of them");
        }
        List<String> trainers = differences.stream()
                .filter(difference -> TRAINERS.stream().anyMatch(key -> difference.startsWith(key + ": ")))
                .toList();
        if (!trainers.isEmpty()) {
            throw new UsageException("cannot resume from " + found.path() + ", not even with --force: "
                    + String.join(", ", trainers)
                    + ". Each trainer counts its progress in its own rows: use the same number of trainers and the same"
                    + " kind of sharing as before");
        }
    }

    /** Returns the state that the job begins with. */
    Origin origin(Optional<ResumePoint> point) {
        RunStart.OtherRuns others =
                mismatch == Mismatch.ACCEPT ? RunStart.OtherRuns.ACCEPTED : RunStart.OtherRuns.REFUSED;
        return point.map(p -> p.kind() == ResumePoint.Kind.CHECKPOINT
                        ? new Origin(Optional.of(p.path()), 0, others)
                        : new Origin(Optional.empty(), p.position(), others))
                .orElse(Origin.FRESH);
    }
}
