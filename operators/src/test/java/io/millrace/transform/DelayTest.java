package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Field;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DelayTest {
    private static final long MILLIS = 1_000_000;

    private final Field image = TransformFixture.noise(1, 1, 1);

    @Test
    void busyDelayTakesItsTimeOnTheProcessor() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 30L));
        long wall = System.nanoTime();
        assertThat(delay.apply(image)).isSameAs(image);
        assertThat(System.nanoTime() - wall).isGreaterThanOrEqualTo(30 * MILLIS);
    }

    @Test
    void sleepingDelayLeavesTheProcessorAlone() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 200L, "mode", "sleep"));
        long wall = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        delay.apply(image);
        assertThat(System.nanoTime() - wall).isGreaterThanOrEqualTo(200 * MILLIS);
        assertThat(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu)
                .isLessThan(100 * MILLIS);
    }

    @Test
    void interruptedDelayEndsAtOnceAndStaysInterrupted() throws Exception {
        TransformFixture delay = TransformFixture.of("Delay", Map.of("ms", 60_000L, "mode", "sleep"));
        Thread.currentThread().interrupt();
        delay.apply(image);
        assertThat(Thread.interrupted()).isTrue();
    }
}
