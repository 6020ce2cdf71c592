package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DelayTest {
    private static final long MILLIS = 1_000_000;

    private final Field image = TransformFixture.noise(1, 1, 1);

    @Test
    void busyDelayUsesTheCpu() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 30L));
        long wall = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        assertThat(delay.apply(image)).isSameAs(image);
        assertThat(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu)
                .as("as a transform, which takes longer on a busy machine, and not less CPU time")
                .isGreaterThanOrEqualTo(30 * MILLIS);
        assertThat(System.nanoTime() - wall).isGreaterThanOrEqualTo(30 * MILLIS);
    }

    @Test
    void sleepingDelayLeavesTheCpuIdle() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 200L, "mode", "sleep"));
        long wall = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        delay.apply(image);
        assertThat(System.nanoTime() - wall).isGreaterThanOrEqualTo(200 * MILLIS);
        assertThat(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu)
                .isLessThan(100 * MILLIS);
    }

    @Test
    void onlyTheSlowSlotWaitsLonger() throws Exception {
        Map<String, Object> options = Map.of("ms", 0L, "mode", "sleep", "slow_ms", 50L, "slow_slot", 1L);
        assertThat(nanosInSlot(1, options)).isGreaterThanOrEqualTo(50 * MILLIS);
        // The smallest of several times, because a loaded machine may delay any single one.
        assertThat(Math.min(nanosInSlot(0, options), Math.min(nanosInSlot(2, options), nanosInSlot(3, options))))
                .isLessThan(50 * MILLIS);
    }

    private long nanosInSlot(int slot, Map<String, ?> options) throws Exception {
        Transform delay = TransformSpec.of("Delay", options)
                .create(new TransformContext(slot, 42, Neighbors.NONE, new StageChain()));
        Sample sample = new Sample(0, "a.jpg", 0).put(Sample.IMAGE, image);
        long began = System.nanoTime();
        delay.apply(sample, new SampleRandom(42, 3).reset(0, 0));
        return System.nanoTime() - began;
    }

    @Test
    void interruptedDelayEndsAtOnceAndStaysInterrupted() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 60_000L, "mode", "sleep"));
        Thread.currentThread().interrupt();
        delay.apply(image);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void delayAllocatesTheGivenBytesForEachSample() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 0L, "allocate", "8MiB", "hold", 2L));
        delay.apply(image);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        delay.apply(image);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isBetween(8L << 20, 10L << 20);
    }

    @Test
    void holdWithoutObjectsToKeepIsRejected() {
        assertThatThrownBy(() ->
                        TransformSpec.of("Delay", Map.of("ms", 0L, "hold", 2L)).create())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Delay: 'hold' keeps the objects of 'allocate' in memory: expected allocate of at least 64"
                        + " bytes with hold: 2, found 0");
    }
}
