package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.NetworkMemory;
import io.millrace.pipeline.Pipeline;
import io.millrace.report.FinalMetrics;
import io.millrace.report.FinalMetricsReporterFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.configuration.Configuration;

/** The start of a Flink in this process for one run. Flink starts in the background while the run is planned. */
public final class FlinkStart {
    private final CompletableFuture<EmbeddedFlink> starting;

    private FlinkStart(CompletableFuture<EmbeddedFlink> starting) {
        this.starting = starting;
    }

    /** Starts a Flink with the slots that this pipeline needs. */
    public static FlinkStart begin(PipelineConfig config) {
        return new FlinkStart(CompletableFuture.supplyAsync(() -> {
            FinalMetrics.clear();
            return start(config, true);
        }));
    }

    /**
     * Starts a Flink beside that of another run in this process, and waits until it has started. Its figures are not among those of the
     * other run. The caller closes it.
     */
    static EmbeddedFlink beside(PipelineConfig config) {
        return start(config, false);
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

    private static EmbeddedFlink start(PipelineConfig config, boolean reported) {
        Configuration more = Configuration.fromMap(config.run().flinkOfCluster());
        if (config.recovery().checkpoint().isPresent()) {
            Checkpointing.restart(
                    more, RestartConfig.STANDARD); // the settings of the file are part of the job and take precedence
        }
        if (reported) {
            FinalMetricsReporterFactory.configure(more);
        }
        NetworkMemory.raise(more, config);
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
