package io.millrace.device.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice;
import io.millrace.device.RealGpu;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that the figures of the measurement are plausible for a GPU. docs/develop/gpu.md has the command that prints
 * the figures.
 */
@Tag("gpu")
@ExtendWith(RealGpu.class)
class GpuBenchTest {
    @Test
    void pinnedMemoryIsFasterAndAStepHidesItsCopies() {
        BenchPlan plan = new BenchPlan(
                List.of(1, 4),
                List.of(4 << 20),
                32 << 20,
                Optional.of(Duration.ofMillis(10)),
                5,
                Duration.ofMillis(50));
        BenchResult result = DeviceBench.run(() -> CudaDevice.open(0), plan, row -> {});
        assertThat(result.peakGigabytesPerSecond()).isBetween(1.0, 1000.0);
        BenchRow pinned = row(result, SourceMemory.PINNED, 4);
        BenchRow pageable = row(result, SourceMemory.PAGEABLE, 4);
        assertThat(pinned.gigabytesPerSecond()).isGreaterThan(pageable.gigabytesPerSecond());
        assertThat(pinned.overlap()).as("with 4 batches in flight").isGreaterThan(0.95);
        assertThat(row(result, SourceMemory.PINNED, 1).overlap())
                .as("with a single batch")
                .isLessThan(0.05);
    }

    private static BenchRow row(BenchResult result, SourceMemory memory, int inFlight) {
        return result.rows().stream()
                .filter(row ->
                        row.memory() == memory && row.mode() == CopyMode.ASYNCHRONOUS && row.inFlight() == inFlight)
                .findFirst()
                .orElseThrow();
    }
}
