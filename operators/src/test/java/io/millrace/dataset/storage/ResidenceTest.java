package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ResidenceTest {
    private boolean loaded;
    private long tookNanos;
    private long nowNanos = Long.MAX_VALUE - 10; // System.nanoTime may overflow
    private int looks;

    private Residence residence() {
        return new Residence(
                () -> {
                    looks++;
                    nowNanos += tookNanos;
                    return loaded;
                },
                () -> nowNanos);
    }

    @Test
    void filesThatComeIntoMemoryAndLeaveItAreNoticedWithinASecond() {
        Residence residence = residence();
        assertThat(residence.isResident()).isFalse();
        loaded = true;
        nowNanos += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(residence.isResident()).as("not looked again").isFalse();
        nowNanos += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(residence.isResident()).isTrue();
        loaded = false;
        nowNanos += TimeUnit.SECONDS.toNanos(1);
        assertThat(residence.isResident()).isFalse();
    }

    @Test
    void lookingTakesAtMostAHundredthOfTheTime() {
        tookNanos = TimeUnit.MILLISECONDS.toNanos(50);
        Residence residence = residence();
        for (int i = 0; i < 100; i++) {
            residence.isResident();
            nowNanos += TimeUnit.MILLISECONDS.toNanos(100);
        }
        assertThat(looks).as("within 10 s").isEqualTo(2);
    }
}
