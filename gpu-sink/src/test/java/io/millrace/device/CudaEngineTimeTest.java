package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.device.EngineTimeline.Lap;
import io.millrace.sample.Split;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The times of a GPU's work by its events. The test controls how long a step lasts, and the host never waits for it. */
@ExtendWith(StubDriver.Needed.class)
class CudaEngineTimeTest {
    private static final BatchSpec NO_COLUMNS = new BatchSpec(List.of());
    private static final Duration STEP = Duration.ofMillis(60);
    private static final Duration PAUSE = Duration.ofMillis(40);

    /** The stub's clock runs in the threads of this process, which other programs delay. */
    private static final long LATE_NANOS = Duration.ofMillis(500).toNanos();

    /** The driver returns times as milliseconds in a float. */
    private static final long MICROS = 100_000;

    /** Enqueues a step that lasts as long as {@link #STEP}, and returns its work, which is not done. */
    private static EngineWork step(StubDriver driver, CudaDevice device, DeviceBatch batch) {
        batch.begin(0, 0, 0, Split.TRAIN, 0);
        batch.seal();
        batch.beginUse();
        device.engine().synchronize(); // the step has begun
        EngineWork work;
        driver.holdEngine();
        try {
            work = batch.endUse();
            assertThat(work.isDone()).as("the engine is held").isFalse();
            SimulatedTime.pass(System.nanoTime(), STEP.toNanos());
        } finally {
            driver.releaseEngine();
        }
        return work;
    }

    /** Waits for the device, then lets {@link #PAUSE} pass: the stub's thread may be late with the event that precedes it. */
    private static void pause(CudaDevice device) {
        device.engine().synchronize();
        SimulatedTime.pass(System.nanoTime(), PAUSE.toNanos());
    }

    @Test
    void timeBetweenTwoStepsIsIdleAndTheCopyOfTheStateIsNot() {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                EngineTime time = EngineTime.of(device).orElseThrow();
                DeviceBatch batch = device.allocate(NO_COLUMNS, 1)) {
            assertThat(time.clockNanos()).isNaN();
            long began = System.nanoTime();
            Lap first = time.batch(step(driver, device, batch));
            pause(device);
            Lap second = time.batch(step(driver, device, batch));

            time.copyBegins();
            pause(device);
            long copied = time.copyEnded();
            Lap third = time.batch(step(driver, device, batch));
            long ended = System.nanoTime();

            assertThat(first.idleNanos()).isZero();
            assertThat(first.workNanos()).isBetween(STEP.toNanos() - MICROS, STEP.toNanos() + LATE_NANOS);
            assertThat(second.idleNanos()).isBetween(PAUSE.toNanos() - MICROS, PAUSE.toNanos() + LATE_NANOS);
            assertThat(copied).isBetween(PAUSE.toNanos() - MICROS, PAUSE.toNanos() + LATE_NANOS);
            assertThat(third.idleNanos()).isLessThan(LATE_NANOS);
            long counted = first.nanos() + second.nanos() + copied + third.nanos();
            assertThat((double) counted).isLessThanOrEqualTo((double) (ended - began + MICROS));
            assertThat(time.clockNanos()).isCloseTo((double) ended, within((double) LATE_NANOS));
        }
        driver.assertClean("after the test");
    }
}
