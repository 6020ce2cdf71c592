package io.millrace.device.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceException;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.device.StubDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DeviceBenchTest {
    private static final BenchPlan SMALL = new BenchPlan(
            List.of(1, 3), List.of(1 << 16, 1 << 18), 1 << 19, Optional.of(Duration.ofMillis(1)), 2, Duration.ZERO);

    private static BenchResult run(Supplier<Device> opening) {
        List<BenchRow> heard = new ArrayList<>();
        BenchResult result = DeviceBench.run(opening, SMALL, heard::add);
        assertThat(result.rows()).hasSize(SMALL.size()).hasSize(16).isEqualTo(heard);
        assertThat(result.rows()).allSatisfy(row -> {
            assertThat(row.gigabytesPerSecond()).isPositive();
            assertThat(row.shareOfPeak())
                    .isCloseTo(row.gigabytesPerSecond() / result.peakGigabytesPerSecond(), within(1e-9));
            assertThat(row.spread()).isNotNegative();
            assertThat(row.overlap()).isBetween(0.0, 1.0);
            assertThat(row.gigabytesPerSecondInSteps()).isPositive();
            if (row.inFlight() == 1
                    && result.device().startsWith("the host")) { // the host's two streams have one clock
                assertThat(row.overlap()).as("with memory for one batch").isZero();
            }
        });
        assertThat(result.rows().stream().map(BenchRow::memory).distinct()).hasSize(2);
        assertThat(result.rows().stream().map(BenchRow::mode).distinct()).hasSize(2);
        assertThat(result.stepMillis()).isPositive();
        assertThat(result.batchBytes()).isEqualTo(1 << 19);
        return result;
    }

    @Test
    void everyCombinationIsMeasuredOnTheHost() {
        assertThat(run(HostDevice::new).device()).isEqualTo("the host's memory");
    }

    /** Each copy takes at least the time that the link needs, so no rate is higher than the link's. */
    @Test
    void measuredRateNeverExceedsTheLink() {
        SimulatedLink link = new SimulatedLink(1_000_000_000, Duration.ZERO);
        BenchResult result = run(() -> new HostDevice(link));
        assertThat(result.peakGigabytesPerSecond()).isLessThanOrEqualTo(1.0);
        assertThat(result.rows())
                .allSatisfy(row -> assertThat(row.gigabytesPerSecond()).isLessThanOrEqualTo(1.0))
                .allSatisfy(row ->
                        assertThat(row.gigabytesPerSecondInSteps()).isPositive().isLessThanOrEqualTo(1.0));
    }

    @Test
    void gpuIsMeasuredFromBothKindsOfMemoryAndNothingStaysOpen() {
        StubDriver driver = StubDriver.fresh();
        assertThat(run(() -> CudaDevice.open(0)).device()).isEqualTo("cuda:0 (Stub GPU 0)");
        driver.assertClean("after the bench");
        assertThat(driver.pinnedCopies()).isPositive();
        assertThat(driver.pageableCopies()).isPositive();
    }

    /**
     * The device fails at every call after a number of calls. Either of the two threads may make the first failing
     * call.
     */
    @Test
    void failingDeviceEndsTheBenchWithItsErrorAndNothingStaysOpen() {
        for (int call : new int[] {1, 5, 40, 90, 200, 400, 1500}) {
            StubDriver driver = StubDriver.fresh();
            driver.failFrom(call, 700);
            assertThatThrownBy(() -> DeviceBench.run(() -> CudaDevice.open(0), SMALL, row -> {}))
                    .as("when call %d fails", call)
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
            driver.failAt(0, 0);
            driver.assertClean("when call " + call + " fails");
        }
    }

    @Test
    void invalidPlansAreRefused() {
        assertThatThrownBy(() -> plan(List.of(9), List.of(1), 1))
                .hasMessageContaining("batches in flight: expected 1 to 8, found 9");
        assertThatThrownBy(() -> plan(List.of(1), List.of(0), 1)).hasMessageContaining("found 0");
        assertThatThrownBy(() -> plan(List.of(), List.of(1), 1)).hasMessageContaining("at least one");
        assertThatThrownBy(() -> plan(List.of(1), List.of(1), -1)).hasMessageContaining("the bytes of a batch");
    }

    private static BenchPlan plan(List<Integer> inFlight, List<Integer> microBatches, int batch) {
        return new BenchPlan(inFlight, microBatches, batch, Optional.empty(), 1, Duration.ZERO);
    }
}
