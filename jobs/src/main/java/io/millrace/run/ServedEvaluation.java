package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.EvaluationBranch;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.report.RunFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The evaluation of a served run: a second pipeline in the job of the training. Its stages read nothing until a client asks, or
 * until the training loop is about to ask. They share the slots of the training and end with it. Its figures are in a folder of its
 * own, and not among those of the run.
 *
 * <p>Tested by {@code PythonClientE2E} and {@code ServedDetachedE2E}.
 */
final class ServedEvaluation {
    private static final Logger LOG = LoggerFactory.getLogger(ServedEvaluation.class);

    /** The name of the folder with the evaluation's files in the folder of the run. */
    private static final String FOLDER = "evaluation";

    private final PipelineConfig config;
    private final int every;
    private final Serving serving;
    private @Nullable RunPlan plan;
    private @Nullable String mistake;

    /**
     * Creates the evaluation of a run.
     *
     * @param every the number of epochs after which a training loop is expected to ask for it
     * @param serving its delivery
     */
    ServedEvaluation(PipelineConfig config, int every, Serving serving) {
        this.config = config;
        this.every = every;
        this.serving = serving;
    }

    PipelineConfig config() {
        return config;
    }

    int every() {
        return every;
    }

    Serving serving() {
        return serving;
    }

    /**
     * Plans the evaluation. After a mistake, which is printed, the run goes on, and its clients hear of the mistake when they ask for
     * the evaluation.
     *
     * @throws PipelineException when there is a mistake, and nobody who stays could report it to the clients
     */
    void plan(PrintStream text) throws PipelineException {
        try {
            FirstUse.makeData(config, text);
            RunPlan planned = RunPlanner.plan(config).ofClients();
            serving.requireDeliverable(config, planned);
            plan = planned;
        } catch (IOException | PipelineException | RuntimeException e) {
            String sentence =
                    "the evaluation cannot be delivered: " + Failure.of(e).sentence();
            if (!serving.hasFrontDoor()) {
                throw new PipelineException(sentence, e);
            }
            LOG.info("the evaluation cannot be delivered", e);
            text.println("warning " + sentence);
            mistake = sentence;
        }
    }

    /**
     * Returns the evaluation's part of the job's graph; empty after a mistake.
     *
     * @param run the run of the training, which accepts clients already
     */
    Optional<EvaluationBranch> branch(PreparedRun run) throws IOException, PipelineException {
        RunPlan planned = plan;
        if (planned == null) {
            serving.fail(mistake == null ? "the evaluation was not planned" : mistake);
            return Optional.empty();
        }
        Path folder = run.folder().path().resolve(FOLDER);
        PipelineConfig within = config.inSlotsOf(run.config()).with(config.run().within(folder));
        PreparedRun beside = new PreparedRun(
                within,
                planned,
                RunFolder.at(folder),
                run.web(),
                Optional.empty(),
                Origin.FRESH,
                Optional.empty(),
                run.startedAtMillis(),
                Setting.Loop.CLIENTS);
        return Optional.of(
                new EvaluationBranch(within, planned, serving.of(beside, Sinks.of(within, planned, folder))));
    }
}
