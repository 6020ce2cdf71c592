package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.EngineTimeline.Lap;
import org.junit.jupiter.api.Test;

class EngineTimelineTest {
    private final EngineTimeline timeline = new EngineTimeline();

    private Lap batch(long reached, long began, long ended) {
        return timeline.batch(new EngineWork.Times(reached, began, ended));
    }

    @Test
    void timeBeforeTheFirstWorkIsStartUp() {
        assertThat(timeline.hasBegun()).isFalse();
        assertThatThrownBy(timeline::endNanos).isInstanceOf(IllegalStateException.class);

        assertThat(batch(50, 80, 100)).isEqualTo(new Lap(0, 0, 20));
        assertThat(timeline.endNanos()).isEqualTo(100);
    }

    @Test
    void timeFromTheEndOfAStepToTheStartOfTheNextIsIdle() {
        batch(0, 0, 100);
        assertThat(batch(101, 101, 201)).isEqualTo(new Lap(1, 0, 100));
        assertThat(batch(201, 201, 301)).isEqualTo(new Lap(0, 0, 100));
    }

    @Test
    void waitForCopiesIsPartOfTheIdleTime() {
        batch(0, 0, 100);
        Lap lap = batch(110, 150, 160);
        assertThat(lap).isEqualTo(new Lap(50, 40, 10));
        assertThat(lap.nanos()).isEqualTo(60);
    }

    /** The device idled for 20 before the copy and for 30 after it. */
    @Test
    void copyOfTheStateIsNotIdleTime() {
        batch(0, 0, 100);
        assertThat(timeline.stateCopy(120, 170)).isEqualTo(50);
        assertThat(batch(200, 200, 210)).isEqualTo(new Lap(50, 0, 10));
        assertThat(timeline.endNanos()).isEqualTo(210);
    }

    /** The wait for the first batch is start-up, whether or not a checkpoint comes before the batch. */
    @Test
    void copyOfTheStateBeforeTheFirstBatchBeginsNoIdleTime() {
        assertThat(timeline.stateCopy(20, 70)).isEqualTo(50);
        assertThat(timeline.hasBegun()).isFalse();

        assertThat(batch(500, 600, 650)).isEqualTo(new Lap(0, 0, 50));
        assertThat(timeline.stateCopy(650, 670)).isEqualTo(20);
        assertThat(batch(680, 680, 690)).isEqualTo(new Lap(10, 0, 10));
    }

    @Test
    void allTimeIsCountedOnce() {
        batch(0, 0, 10);
        long counted = 0;
        counted += batch(12, 13, 20).nanos();
        counted += timeline.stateCopy(25, 40);
        counted += batch(41, 47, 60).nanos();
        counted += batch(60, 60, 75).nanos();
        assertThat(counted).isEqualTo(timeline.endNanos() - 10);
    }

    /** The clock of a GPU is compared with that of the host every few seconds, to some microseconds. */
    @Test
    void clocksThatAreApartGiveNoNegativeTimes() {
        batch(0, 0, 100);
        assertThat(batch(90, 95, 150)).isEqualTo(new Lap(0, 0, 50));
        assertThat(batch(140, 141, 149)).isEqualTo(new Lap(0, 0, 0));
        assertThat(timeline.stateCopy(140, 145)).isZero();
        assertThat(timeline.endNanos()).isEqualTo(150);
    }
}
