package io.millrace.cli;

import io.millrace.config.RunConfig;
import io.millrace.pack.Packing;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.web.OwnWeb;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobWatch;
import io.millrace.rest.StageReading;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.util.SerializedThrowable;

/** The execution of a pack on a Flink in this process, with its progress on standard error. */
final class PackRun {
    private static final Duration INTERVAL = Duration.ofSeconds(3);
    private static final String WEB_PORTS = "8081-8180";

    private PackRun() {}

    /** Runs the job until it ends. */
    static void execute(Packing packing, int parallelism, PrintStream text) throws Exception {
        Configuration more = new Configuration();
        // A restart skips finished tasks, so it costs little.
        more.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        more.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 2);
        more.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofSeconds(1));
        try (EmbeddedFlink flink = EmbeddedFlink.start(parallelism, WEB_PORTS, RunConfig.Web.ON, more)) {
            text.println("web UI  " + OwnWeb.printed(flink.web()));
            JobID job = flink.jobs().submit(packing.graph(parallelism));
            JobWatch watch = JobWatch.start(
                    new FlinkRest(flink.web()),
                    job.toString(),
                    List.of(Packing.STAGE),
                    INTERVAL,
                    reading -> print(reading.stages().get(0), packing.samples()));
            Optional<SerializedThrowable> failure;
            try {
                failure = flink.jobs().result(job).get().getSerializedThrowable();
            } finally {
                watch.close();
            }
            if (failure.isPresent()) {
                throw new IllegalStateException(
                        "the pack failed", failure.get().deserializeError(PackRun.class.getClassLoader()));
            }
        }
    }

    private static void print(StageReading stage, long samples) {
        Long done = stage.records();
        if (done != null) {
            System.err.printf(Locale.ROOT, "%,d of %,d samples packed%n", done, samples);
        }
    }
}
