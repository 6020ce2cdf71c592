package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.report.RunFolder;
import io.millrace.sink.spec.SinkSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The evaluation of a served run: a second job in this process, with a Flink of its own. The job begins when a client asks for the
 * evaluation for the first time, and ends with the run. Its figures are in a folder of its own, and not among those of the run.
 *
 * <p>Its dataset is planned at once, so that a mistake is printed when the run begins. Tested by {@code PythonClientE2E}.
 */
public final class ServedEvaluation {
    private static final Logger LOG = LoggerFactory.getLogger(ServedEvaluation.class);

    /** The name of the folder with the evaluation's run in the folder of the run. */
    static final String FOLDER = "evaluation";

    private final PipelineConfig config;
    private final Serving serving;
    private final PrintStream text;
    private final Thread thread;

    /** The Flink of the evaluation; null before its job begins. Written by the thread, read after its end. */
    private @Nullable EmbeddedFlink flink;

    private ServedEvaluation(PipelineConfig config, Serving serving, PrintStream text) {
        this.config = config;
        this.serving = serving;
        this.text = text;
        this.thread = new Thread(this::work, "serve-evaluation");
        thread.setDaemon(true);
    }

    /**
     * Begins to wait for clients.
     *
     * @param config the pipeline of the evaluation
     * @param serving its delivery
     * @param run the run beside which it is, which accepts clients already
     * @param text where mistakes and the beginning are printed
     */
    public static ServedEvaluation begin(PipelineConfig config, Serving serving, PreparedRun run, PrintStream text) {
        PipelineConfig within = config.withoutPlacement()
                .with(config.recovery().orRestart(RestartConfig.STANDARD))
                .with(config.run().within(run.folder().path().resolve(FOLDER)));
        ServedEvaluation evaluation = new ServedEvaluation(within, serving, text);
        evaluation.thread.start();
        return evaluation;
    }

    private void work() {
        try {
            FirstUse.makeData(config, text);
            RunPlan plan = plan();
            if (serving.awaitClient()) {
                submit(plan);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the evaluation cannot be delivered", e);
            fail(e);
        }
    }

    private RunPlan plan() throws IOException, PipelineException {
        RunPlan plan = RunPlanner.plan(config).ofClients();
        serving.requireDeliverable(config, plan);
        return plan;
    }

    private void submit(RunPlan plan) throws Exception {
        RunFolder folder = Submission.newFolder(config, plan);
        PreparedRun run = new PreparedRun(
                config,
                plan,
                folder,
                Optional.<URI>empty(),
                Optional.empty(),
                Origin.FRESH,
                Optional.empty(),
                System.currentTimeMillis(),
                Setting.Loop.CLIENTS);
        EmbeddedFlink started = FlinkStart.beside(config);
        flink = started;
        SinkSpec sink = serving.of(run, Sinks.of(config, plan, folder.path()));
        JobID job = started.jobs().submit(run.attachedGraph(sink));
        text.println("evaluates from now on: " + folder.path());
        var unused = started.jobs().result(job).whenComplete((result, failure) -> {
            if (failure != null) {
                fail(failure);
            } else {
                result.getSerializedThrowable()
                        .ifPresent(thrown -> fail(thrown.deserializeError(ServedEvaluation.class.getClassLoader())));
            }
        });
    }

    /** Reports to the clients of the evaluation, now and when they come, why it cannot be delivered. The run goes on. */
    private void fail(Throwable failure) {
        String sentence =
                "the evaluation cannot be delivered: " + Failure.of(failure).sentence();
        text.println("warning " + sentence);
        serving.fail(sentence);
    }

    /** Ends the evaluation's job, and the connections of its clients. */
    public void close() throws IOException {
        serving.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return; // the process ends, and Flink with it
        }
        if (flink != null) {
            flink.close();
        }
    }
}
