package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.resume.ResumePoint;
import io.millrace.resume.ResumePoints;
import io.millrace.run.UsageException;
import io.millrace.sink.SinkSpec;
import io.millrace.source.Beginning;
import io.millrace.source.RunIdentity;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a run goes on from; a mixin for the commands that train. */
final class ResumeArguments {
    private static final String LATEST = "latest";

    /** What says which trainer has which rows, as in the pipeline file: with others a trainer's state fits none. */
    private static final List<String> TRAINERS = List.of("ranks", "share");

    @Option(
            names = "--resume",
            arity = "0..1",
            fallbackValue = LATEST,
            paramLabel = "PATH",
            description = "Go on with an earlier run: latest, the folder of a run, or a checkpoint or savepoint.")
    private @Nullable String from;

    @Option(names = "--force", description = "Resume although the pipeline is another one than the checkpoint's.")
    private boolean force;

    /**
     * What the user asks to go on from; empty where they do not.
     *
     * @throws IOException when there is no such state, with a sentence
     * @throws UsageException when it is of another run and that is not forced
     */
    Optional<ResumePoint> find(PipelineConfig config, RunPlan plan) throws IOException {
        String asked = from;
        if (asked == null) {
            if (force) {
                throw new UsageException("--force goes with --resume");
            }
            return Optional.empty();
        }
        ResumePoint found = asked.equals(LATEST)
                ? ResumePoints.latest(
                        config.run().folder(), config.recovery().checkpoint().flatMap(checkpoint -> checkpoint.path()))
                : ResumePoints.at(asked);
        RunIdentity ours =
                PositionSettings.of(config, plan.batches(), config.run().folder());
        List<String> differences = ours.differencesTo(found.identity());
        if (!force && !differences.isEmpty()) {
            throw new UsageException("cannot resume from " + found.path() + ": " + Beginning.refusal(differences)
                    + "\nSet these as they were, or give --force to go on nonetheless");
        }
        List<String> trainers = differences.stream()
                .filter(difference -> TRAINERS.stream().anyMatch(key -> difference.startsWith(key + ": ")))
                .toList();
        if (!trainers.isEmpty()) {
            throw new UsageException("cannot resume from " + found.path() + ", with --force neither: "
                    + String.join(", ", trainers)
                    + ". What each trainer has done is counted in its own rows; go on with"
                    + " as many as there were, sharing as they did");
        }
        long all = plan.batches().positions();
        if (found.kind() == ResumePoint.Kind.FINAL_STATE && found.position() >= all) {
            throw new UsageException("the run in " + found.identity().folder() + " has done all "
                    + config.data().epochs() + " epochs: to go on with it set more, as --set dataset.epochs="
                    + 2L * config.data().epochs());
        }
        return Optional.of(found);
    }

    /** What the training operator begins from. */
    static SinkSpec sink(SinkSpec sink, Optional<ResumePoint> point) {
        return point.filter(p -> p.kind() == ResumePoint.Kind.FINAL_STATE)
                .map(p -> sink.startingFrom(p.path()))
                .orElse(sink);
    }

    /** The same for the job. */
    Origin origin(Optional<ResumePoint> point) {
        Beginning.Others others = force ? Beginning.Others.TAKEN : Beginning.Others.REFUSED;
        return point.map(p -> p.kind() == ResumePoint.Kind.CHECKPOINT
                        ? new Origin(Optional.of(p.path()), 0, others)
                        : new Origin(Optional.empty(), p.position(), others))
                .orElse(Origin.FRESH);
    }
}
