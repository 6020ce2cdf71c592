package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Pipeline;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("measurements")
class TrialsITCase {
    @TempDir
    Path folder;

    @Test
    void limitingStageIsNamedWithItsSpeed() throws Exception {
        PipelineConfig config = TrialPipelines.config(folder);
        TrialLimits limits = new TrialLimits(Duration.ofMillis(500), 0.2, Duration.ofSeconds(8));

        Trial trial;
        try (Trials trials = Trials.start(Pipeline.slots(config), folder)) {
            trial = trials.run(config, limits);
        }

        assertThat(trial.samplesPerSecond()).isBetween(1.0, 1.05 * 1_000 / TrialPipelines.DELAY_MILLIS);
        assertThat(trial.measurement().verdict().limit().orElseThrow().culprit())
                .as(trial.toString())
                .isEqualTo("Delay");
        assertThat(trial.busy()).isBetween(0.0, 1.0);
    }
}
