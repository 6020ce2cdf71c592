package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.TrialPipelines;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.Pipeline;
import io.millrace.sample.SampleUnit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("measurements")
class LadderITCase {
    @TempDir
    Path folder;

    @Test
    void largestDropNamesTheCostlyTransform() throws Exception {
        PipelineConfig config = TrialPipelines.config(folder);
        LadderPlan plan = new LadderPlan(64, new TrialLimits(Duration.ofMillis(300), 0.1, Duration.ofSeconds(2)));
        List<String> progress = new ArrayList<>();

        LadderRun.Result result;
        try (Trials trials = Trials.start(Pipeline.slots(config), folder)) {
            result = LadderRun.measure(config, plan, trials, folder, progress::add);
        }

        Ladder ladder = result.ladder();
        String table = String.join("\n", LadderText.lines(ladder, SampleUnit.IMAGES, Optional.empty()));
        assertThat(ladder.rungs())
                .extracting(Rung::cache)
                .containsExactly("device", "host", "packed", "after Delay", "after RandomMask", "raw", "nothing");
        assertThat(ladder.rungs()).as(table).allSatisfy(rung -> {
            assertThat(rung.samplesPerSecond()).isPositive();
            assertThat(rung.busy()).isBetween(0.0, 1.0);
        });
        assertThat(ladder.samples()).isEqualTo(64);
        // On a loaded machine the rungs above the delay may have any order. No rung below it is faster than the delay
        // allows.
        double most = 1_000 / TrialPipelines.DELAY_MILLIS;
        assertThat(ladder.rungs().subList(4, 7)).as(table).allSatisfy(rung -> assertThat(rung.samplesPerSecond())
                .isLessThanOrEqualTo(1.05 * most));
        assertThat(ladder.rungs().get(3).samplesPerSecond()).as(table).isGreaterThan(1.5 * most);
        double delay = ladder.drop(ladder.rungs().get(4)).orElseThrow().samplesPerSecond();
        assertThat(delay).as(table).isGreaterThan(0.5 * most);
        assertThat(ladder.largest().orElseThrow().stage()).as(table).isEqualTo("Delay");
        assertThat(progress).contains("nothing", "packed", "after Delay");
    }
}
