package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SimulatedLinkTest {
    @Test
    void transferTakesTheTimeOfItsBytesAndTheLatency() {
        SimulatedLink link = new SimulatedLink(1_000_000, Duration.ofMillis(5));

        assertThat(link.nanos(0)).isEqualTo(5_000_000);
        assertThat(link.nanos(2_000)).isEqualTo(7_000_000);
    }

    @Test
    void unlimitedLinkTakesOnlyItsLatency() {
        assertThat(new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofMillis(1)).nanos(1L << 40))
                .isEqualTo(1_000_000);
    }

    @Test
    void carryingTakesAtLeastTheTimeOfTheLink() {
        SimulatedLink link = new SimulatedLink(1_000_000, Duration.ZERO);
        long began = System.nanoTime();

        link.carry(3_000);

        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(3_000_000);
    }

    @Test
    void interruptEndsCarryingAndIsKept() {
        Thread.currentThread().interrupt();

        new SimulatedLink(1, Duration.ZERO).carry(1_000_000); // would take eleven days

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void linkWithoutSpeedIsRefused() {
        assertThatThrownBy(() -> new SimulatedLink(0, Duration.ZERO)).hasMessageContaining("at least 1, found 0");
        assertThatThrownBy(() -> new SimulatedLink(1, Duration.ofMillis(-1))).hasMessageContaining("latency");
    }
}
