package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Tests of the window in a {@link SimulatedRun} with the readers, checkpoints and failures of Flink. */
class RangeWindowRecoveryTest {
    @Property(tries = 300)
    void everyPositionIsEmittedOnceWhenNothingFails(
            @ForAll @IntRange(min = 1, max = 200) int positions,
            @ForAll @IntRange(min = 1, max = 20) int rangeSize,
            @ForAll @IntRange(min = 1, max = 6) int window,
            @ForAll @IntRange(min = 1, max = 5) int readers,
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 9999) Integer> choices) {
        SimulatedRun run = new SimulatedRun(positions, new ReadOptions(rangeSize, window, 2, 1), readers);
        choices.forEach(choice -> run.emit(choice));
        run.finish();

        assertThat(run.history()).containsExactlyElementsOf(SimulatedRun.upTo(positions));
    }

    @Property(tries = 1000)
    void everyPositionIsInTheHistoryOnceAfterAnyFailures(
            @ForAll @IntRange(min = 1, max = 120) int positions,
            @ForAll @IntRange(min = 1, max = 12) int rangeSize,
            @ForAll @IntRange(min = 1, max = 6) int window,
            @ForAll @IntRange(min = 1, max = 4) int readers,
            @ForAll @Size(max = 250) List<@IntRange(min = 0, max = 9999) Integer> choices) {
        SimulatedRun run = new SimulatedRun(positions, new ReadOptions(rangeSize, window, 2, 1), readers);
        for (int choice : choices) {
            int which = choice / 100;
            int action = choice % 100;
            if (action < 60) {
                run.emit(which);
            } else if (action < 75) {
                run.startNext();
            } else if (action < 88) {
                run.checkpoint();
            } else if (action < 92) {
                run.failOneReader(which);
            } else if (action < 96) {
                run.failAllReaders();
            } else {
                run.restoreWith(1 + which % 4);
            }
        }
        run.finish();

        assertThat(run.history()).containsExactlyElementsOf(SimulatedRun.upTo(positions));
    }
}
