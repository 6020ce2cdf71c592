package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.NetworkMemory;
import io.millrace.pipeline.Pipeline;
import io.millrace.report.FinalMetrics;
import io.millrace.report.FinalMetricsReporterFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.configuration.Configuration;

/** The start of a Flink in this process for one run. Flink starts in the background while the run is planned. */
public final class FlinkStart {
    private final CompletableFuture<EmbeddedFlink> starting;

    private FlinkStart(CompletableFuture<EmbeddedFlink> starting) {
        this.starting = starting;
    }

    /**
     * Starts a Flink with the slots that a pipeline needs.
     *
     * @param evaluation the pipeline of the evaluation in the same job, if there is one
     */
    public static FlinkStart begin(PipelineConfig config, Optional<PipelineConfig> evaluation) {
        List<PipelineConfig> branches = new ArrayList<>(List.of(config));
        evaluation.ifPresent(found -> branches.add(found.inSlotsOf(config)));
        return new FlinkStart(CompletableFuture.supplyAsync(() -> {
            FinalMetrics.clear();
            return start(config, branches);
        }));
    }

    /** Waits until Flink has started. The caller closes it. */
    public EmbeddedFlink await() {
        return starting.join();
    }

    /**
     * Closes Flink once it has started, and ignores a failed start. This method is called when the run could not be
     * planned.
     */
    public void abandon() {
        starting.handle((flink, failure) -> {
                    if (flink != null) {
                        flink.close();
                    }
                    return flink;
                })
                .join();
    }

    private static EmbeddedFlink start(PipelineConfig config, List<PipelineConfig> branches) {
        Configuration more = Configuration.fromMap(config.run().flinkOfCluster());
        if (config.recovery().checkpoint().isPresent()) {
            Checkpointing.restart(
                    more, RestartConfig.STANDARD); // the settings of the file are part of the job and take precedence
        }
        FinalMetricsReporterFactory.configure(more);
        NetworkMemory.raise(more, branches);
        try {
            return EmbeddedFlink.start(
                    Pipeline.slots(config),
                    config.run().webPorts(),
                    config.run().web(),
                    more);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }
}
