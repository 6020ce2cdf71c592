package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.TrialLimits;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measurements of trainers whose device works beside their thread. */
@Tag("measurements")
class TrainerFeedTest {
    private static final int ROWS = 8;
    private static final int EDGE = 32;
    private static final int ROW_BYTES = EDGE * EDGE * 3 + Long.BYTES;
    private static final TrialLimits LIMITS = new TrialLimits(Duration.ofMillis(1500), 0.05, Duration.ofSeconds(5));

    @TempDir
    private Path folder;

    /** Measures a device with steps of this time and a link that copies a batch in this time. */
    private TrainerSpeed measure(int stepMillis, int copyMillis) throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: synthetic, size: 64, shape: [%d, %d, 3], classes: 10 }
                batch: { size: %d }
                device:
                  transforms: [ ToFloat ]
                  simulated_asynchronous: true
                  simulated_step: %dms
                  simulated_bandwidth: %dB/s
                train: { model: { mlp: { hidden: [8] } }, threads: 1 }
                """.formatted(
                        EDGE, EDGE, ROWS, stepMillis, ROWS * ROW_BYTES * 1000 / copyMillis));
        PipelineConfig config = ConfigReader.read(file, List.of());
        List<CachedSample> samples = IntStream.range(0, 3 * ROWS)
                .mapToObj(number -> CachedSample.of(new Sample(number, "a", number % 10)
                        .put(Sample.IMAGE, Field.image(EDGE, EDGE, 3, new byte[EDGE * EDGE * 3]))))
                .toList();
        long before = MicroBatchMemory.allocatedBytes();
        TrainerSpeed speed =
                TrainerFeed.measure(Sinks.of(config, RunPlanner.plan(config), folder), ROWS, samples, LIMITS);
        assertThat(MicroBatchMemory.allocatedBytes()).isEqualTo(before);
        return speed;
    }

    private static double rate(TrainerSpeed.@Nullable Speed speed) {
        return Objects.requireNonNull(speed).samplesPerSecond();
    }

    @Test
    void copiesThatAreSlowerThanStepsLimitTheHostRung() throws Exception {
        TrainerSpeed speed = measure(20, 60);

        // The device can train on 8 samples in 20 ms, and receives 8 samples in 60 ms.
        assertThat(rate(speed.host())).isBetween(0.7 * ROWS / 0.060, 1.05 * ROWS / 0.060);
        assertThat(rate(speed.device())).isBetween(0.7 * ROWS / 0.020, 1.05 * ROWS / 0.020);
    }

    @Test
    void copiesBesideLongerStepsCostNothing() throws Exception {
        TrainerSpeed speed = measure(60, 20);

        assertThat(rate(speed.device())).isBetween(0.7 * ROWS / 0.060, 1.05 * ROWS / 0.060);
        assertThat(rate(speed.host())).isBetween(0.9 * rate(speed.device()), rate(speed.device()));
    }
}
