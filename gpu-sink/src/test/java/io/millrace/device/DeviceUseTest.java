package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceUse.Sums;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The timing of copies and steps, with a step whose duration the test controls. */
@ExtendWith(StubDriver.Needed.class)
class DeviceUseTest {
    private static final int BYTES = 1 << 20;

    /** A listener that keeps the times. */
    private static final class RecordedTimes implements DeviceUse.Listener {
        final List<String> what = new ArrayList<>();

        @Override
        public void copied(long beganNanos, long endedNanos) {
            assertThat(endedNanos).isGreaterThanOrEqualTo(beganNanos);
            what.add("copy");
        }

        @Override
        public void stepped(long beganNanos, long endedNanos) {
            assertThat(endedNanos).isGreaterThanOrEqualTo(beganNanos);
            what.add("step");
        }
    }

    private static void copy(Device device, AlignedMemory source, DeviceMemory target) {
        device.use().copying();
        device.copies().copyIn(source.address(), target, 0, BYTES);
        device.use().copied(BYTES);
    }

    @Test
    void copiesDuringAStepAreHiddenAndOthersAreNot() {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory target = device.memory(BYTES, "a target");
                DeviceEvent began = device.event()) {
            DeviceUse use = device.use();
            RecordedTimes times = new RecordedTimes();
            use.listen(times);

            copy(device, source, target);
            device.copies().synchronize();
            Sums before = use.sums();
            assertThat(before.copiedBytes()).isEqualTo(BYTES);
            assertThat(before.copyNanos()).isPositive();
            assertThat(before.hiddenNanos()).isZero();

            use.stepEnqueued();
            use.stepBegan();
            device.engine().record(began);
            began.synchronize();
            driver.holdEngine();
            try {
                use.stepEnded();
                copy(device, source, target);
                device.copies().synchronize();
                Sums beside = use.sums();
                assertThat(beside.copiedBytes()).isEqualTo(2 * BYTES);
                long second = beside.copyNanos() - before.copyNanos();
                assertThat(second).isPositive();
                assertThat(beside.hiddenNanos()).isEqualTo(second);
                assertThat(beside.engineNanos()).as("the step goes on").isZero();
            } finally {
                driver.releaseEngine();
            }
            device.engine().synchronize();
            Sums after = use.sums();
            assertThat(after.engineNanos()).isGreaterThanOrEqualTo(after.hiddenNanos());
            assertThat(times.what).containsExactly("copy", "copy", "step");
            assertThat(use.latest()).isEqualTo(after);
        }
        driver.assertClean("after the test");
    }

    @Test
    void waitOfTheEngineForCopiesIsCounted() {
        try (HostDevice device = new HostDevice(new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofMillis(20)));
                AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory target = device.memory(BYTES, "a target");
                DeviceEvent ready = device.event()) {
            device.copies().copyIn(source.address(), target, 0, BYTES);
            device.copies().record(ready);
            device.use().stepEnqueued();
            device.engine().await(ready);
            device.use().stepBegan();
            device.use().stepEnded();
            Sums sums = device.use().sums();
            assertThat(sums.engineWaitNanos()).isPositive();
            assertThat(sums.copiedBytes()).as("that copy was not timed").isZero();
        }
    }

    @Test
    void copiesAreSampledWithoutAListener() {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory target = device.memory(BYTES, "a target")) {
            for (int i = 0; i < 3 * DeviceUse.SAMPLED; i++) {
                copy(device, source, target);
            }
            device.copies().synchronize();
            assertThat(device.use().sums().copiedBytes()).isEqualTo(3 * BYTES);
        }
        driver.assertClean("after the test");
    }

    /** A step reads the figures several times, mostly when nothing has finished since. */
    @Test
    void sumsArePublishedOnlyWhenWorkHasFinished() {
        try (HostDevice device = new HostDevice();
                AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory target = device.memory(BYTES, "a target")) {
            copy(device, source, target);
            Sums first = device.use().sums();
            assertThat(device.use().sums()).isSameAs(first);
            device.use().timeAllCopies();
            copy(device, source, target);
            assertThat(device.use().sums().copiedBytes()).isEqualTo(2 * BYTES);
            device.use().timeSomeCopies();
            copy(device, source, target);
            assertThat(device.use().sums().copiedBytes()).isEqualTo(2 * BYTES);
        }
    }

    /** There are more copies than events, and none of the events passes. */
    @Test
    void copiesWithoutAFreeEventAreNotTimedAndDoNotWait() {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0)) {
            driver.holdEngine();
            try {
                for (int i = 0; i < 200; i++) {
                    device.use().stepEnqueued();
                    device.use().stepBegan();
                    device.use().stepEnded();
                }
            } finally {
                driver.releaseEngine();
            }
            device.engine().synchronize();
            assertThat(device.use().sums().engineNanos()).isNotNegative();
        }
        driver.assertClean("after the test");
    }

    @Test
    void stepThatNeverEndedIsDropped() {
        try (HostDevice device = new HostDevice()) {
            device.use().stepEnqueued();
            device.use().stepBegan();
            device.use().stepEnqueued();
            device.use().stepBegan();
            device.use().stepEnded();
            assertThat(device.use().sums().engineNanos()).isNotNegative();
        }
    }
}
