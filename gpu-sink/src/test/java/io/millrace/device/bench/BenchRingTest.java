package io.millrace.device.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceUse.Sums;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.device.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that compare the reported overlap with the real overlap of copies and steps. They hold on slow machines too.
 */
@Timeout(120)
class BenchRingTest {
    private static final int BATCHES = 8;
    private static final int MICRO_BATCHES = 4;
    private static final int BYTES = 1 << 16;
    private static final long BATCH_BYTES = (long) MICRO_BATCHES * BYTES;
    private static final SimulatedLink LINK = new SimulatedLink(1_000_000_000, Duration.ZERO);
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private record Span(long began, long ended) {
        long common(Span other) {
            return Math.max(0, Math.min(ended, other.ended) - Math.max(began, other.began));
        }
    }

    private static final class RecordingListener implements DeviceUse.Listener {
        final List<Span> copies = new ArrayList<>();
        final List<Span> steps = new ArrayList<>();

        @Override
        public void copied(long beganNanos, long endedNanos) {
            copies.add(new Span(beganNanos, endedNanos));
        }

        @Override
        public void stepped(long beganNanos, long endedNanos) {
            steps.add(new Span(beganNanos, endedNanos));
        }
    }

    /**
     * Steps that wait until {@code bytes} of the next batch have been copied, and then last {@code longerNanos} longer.
     */
    private final class Steps implements Runnable {
        final List<Span> taken = new ArrayList<>();
        private final long bytes;
        private final long longerNanos;

        Steps(long bytes, Duration longer) {
            this.bytes = bytes;
            this.longerNanos = longer.toNanos();
        }

        @Override
        public void run() {
            long began = System.nanoTime();
            long awaited = Math.min(BATCHES * BATCH_BYTES, (taken.size() + 1) * BATCH_BYTES + bytes);
            while (device.use().sums().copiedBytes() < awaited) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            SimulatedTime.pass(System.nanoTime(), longerNanos);
            taken.add(new Span(began, System.nanoTime()));
        }

        /** Returns the time between copies and steps. */
        long gaps() {
            long gaps = 0;
            for (int i = 1; i < taken.size(); i++) {
                gaps += taken.get(i).began - taken.get(i - 1).ended;
            }
            return gaps;
        }
    }

    private final HostDevice device = new HostDevice(LINK);
    private SourceBlocks source;

    @BeforeEach
    void takeMemory() {
        source = new SourceBlocks(device, () -> new HostDevice(LINK), SourceMemory.PAGEABLE, BYTES);
    }

    @AfterEach
    void closeAll() {
        source.close();
        device.close();
    }

    private Sums measured(int inFlight, CopyMode mode, Runnable step) {
        try (BenchRing ring = new BenchRing(device, source, inFlight, BYTES, MICRO_BATCHES)) {
            Sums sums = ring.copyBeside(BATCHES, mode, step);
            assertThat(sums.copiedBytes()).as("all but the first batch").isEqualTo((BATCHES - 1) * BATCH_BYTES);
            // No copy is faster than the link.
            assertThat(sums.copyNanos()).isGreaterThanOrEqualTo(LINK.nanos((BATCHES - 1) * BATCH_BYTES));
            return sums;
        }
    }

    /** The copies of a batch can begin only when the step on the previous batch has ended. */
    @ParameterizedTest
    @EnumSource
    void memoryForOneBatchHidesNothing(CopyMode mode) {
        Sums sums = measured(1, mode, () -> SimulatedTime.pass(System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(2)));
        assertThat(sums.hiddenNanos()).isZero();
        assertThat(sums.overlap()).isZero();
    }

    /**
     * The steps are forty times as long as the copies, as with a large model. A difference of two durations would not
     * show the overlap then.
     */
    @ParameterizedTest
    @EnumSource
    void stepsLongerThanTheCopiesHideThemExceptInTheGapsBetweenSteps(CopyMode mode) {
        Steps steps = new Steps(BATCH_BYTES, Duration.ofMillis(10));
        Sums sums = measured(2, mode, steps);
        long bare = sums.copyNanos() - sums.hiddenNanos();
        assertThat(bare).isBetween(0L, steps.gaps());
        assertThat(sums.overlap()).isGreaterThanOrEqualTo(1 - (double) steps.gaps() / sums.copyNanos());
    }

    /** The expected value is computed from the times of each copy and each step. */
    @Test
    void stepsThatEndWithinTheCopiesHideTheirCommonTime() {
        RecordingListener listener = new RecordingListener();
        device.use().listen(listener);
        Sums sums = measured(2, CopyMode.ASYNCHRONOUS, new Steps(BATCH_BYTES / 2, Duration.ZERO));
        assertThat(listener.steps).hasSize(BATCHES);
        assertThat(listener.copies).hasSize(BATCHES * MICRO_BATCHES);
        long shared = 0;
        long all = 0;
        for (Span copy : listener.copies.subList(MICRO_BATCHES, listener.copies.size())) {
            all += copy.ended - copy.began;
            for (Span step : listener.steps) {
                shared += copy.common(step);
            }
        }
        assertThat(sums.copyNanos()).isEqualTo(all);
        assertThat(sums.hiddenNanos()).isEqualTo(shared);
        assertThat(sums.overlap()).isGreaterThan(0).isLessThanOrEqualTo(1);
    }

    @Test
    void copyingAloneSamplesCopiesAsTrainingDoes() {
        try (BenchRing ring = new BenchRing(device, source, 2, BYTES, MICRO_BATCHES)) {
            long nanos = ring.copy(BATCHES, CopyMode.ASYNCHRONOUS);
            assertThat(nanos).isGreaterThanOrEqualTo(LINK.nanos(BATCHES * BATCH_BYTES));
            assertThat(device.use().sums().copiedBytes()).isBetween(1L, BATCHES * BATCH_BYTES / 2);
        }
    }
}
