package io.millrace.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UninterruptedTest {
    private int waits;

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @Test
    void waitGoesOnAfterAnInterruptAndTheFlagIsRestored() {
        CountDownLatch latch = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        Uninterrupted.await(() -> {
            waits++;
            if (waits == 2) {
                latch.countDown();
            }
            latch.await();
        });
        assertThat(waits).isEqualTo(2);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void waitWithoutAnInterruptLeavesTheFlag() {
        Uninterrupted.await(() -> waits++);
        assertThat(waits).isOne();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void flagIsRestoredWhenTheWaitFails() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Uninterrupted.await(() -> {
                    waits++;
                    if (waits == 2) {
                        throw new IllegalStateException("failed");
                    }
                    new CountDownLatch(1).await();
                }))
                .hasMessage("failed");
        assertThat(Thread.interrupted()).isTrue();
    }
}
