package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.source.RangeWindow.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeWindowTest {
    private static final ReadOptions TENS = new ReadOptions(10, 3, 1, 1);

    @Test
    void rangesAreAssignedInOrderAndTheLastIsShort() {
        RangeWindow window = new RangeWindow(25, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 4);

        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 10)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(10, 20)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(20, 25)));
        assertThat(window.answer(1)).isNull();
    }

    @Test
    void noReaderEndsBeforeAllRangesAreFinished() {
        RangeWindow window = new RangeWindow(20, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 1);
        window.start(1, List.of(), 2);
        assertThat(window.answer(2)).isEqualTo(new Answer(0, new Range(0, 10)));
        assertThat(window.answer(2)).isEqualTo(new Answer(1, new Range(10, 20)));
        assertThat(window.answer(2)).as("checkpoints need all readers").isNull();
        window.finish(0, new Range(0, 10), 1);
        assertThat(window.answer(2)).as("reader 1 is not done").isNull();

        window.finish(1, new Range(10, 20), 1);
        assertThat(window.answer(2)).isEqualTo(new Answer(1, null));
        assertThat(window.answer(2)).isEqualTo(new Answer(0, null));
        assertThat(window.answer(2)).isNull();
    }

    @Test
    void fullWindowHoldsRangesBackUntilTheLowestIsFinished() {
        RangeWindow window = new RangeWindow(1000, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 2);
        window.start(1, List.of(), 2);
        assertThat(window.answer(2)).isEqualTo(new Answer(0, new Range(0, 10)));
        assertThat(window.answer(2)).isEqualTo(new Answer(0, new Range(10, 20)));
        assertThat(window.answer(2)).isEqualTo(new Answer(1, new Range(20, 30)));
        assertThat(window.answer(2)).isNull();

        window.finish(0, new Range(10, 20), 1);
        assertThat(window.answer(2)).as("the lowest is not finished").isNull();

        window.finish(0, new Range(0, 10), 1);
        assertThat(window.lowestUnfinished()).isEqualTo(20);
        assertThat(window.answer(2)).isEqualTo(new Answer(1, new Range(30, 40)));
    }

    @Test
    void returnedRangesAreAssignedFirstAndLowestFirst() {
        EnumeratorState state = new EnumeratorState(100, List.of(new Range(40, 50), new Range(23, 30)));
        RangeWindow window = new RangeWindow(1000, TENS, state);
        window.start(0, List.of(), 3);

        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(23, 30)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(40, 50)));
        assertThat(window.answer(1)).as("100 is beyond the window from 23").isNull();
    }

    @Test
    void nothingIsAssignedBeforeAllReadersHaveStarted() {
        RangeWindow window = new RangeWindow(1000, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 1);
        assertThat(window.answer(2)).isNull();

        window.start(1, List.of(), 0);
        assertThat(window.answer(2)).isEqualTo(new Answer(0, new Range(0, 10)));

        window.fail(1, List.of());
        window.finish(0, new Range(0, 10), 1);
        assertThat(window.answer(2))
                .as("the ranges of reader 1 are unknown again")
                .isNull();
    }

    @Test
    void rangeOfAReaderIsNotAssignedAlthoughTheStateHoldsIt() {
        RangeWindow window = new RangeWindow(30, TENS, new EnumeratorState(10, List.of(new Range(0, 10))));
        window.start(0, List.of(new Range(4, 10), new Range(15, 20)), 5);

        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 4)));
        assertThat(window.answer(1)).as("the gap").isEqualTo(new Answer(0, new Range(10, 15)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(20, 30)));
        assertThat(window.answer(1)).isNull();
    }

    @Test
    void rangeThatComesBackTwiceIsAssignedOnce() {
        RangeWindow window = new RangeWindow(20, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 1);
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 10)));
        window.fail(0, List.of(new Range(0, 10)));
        window.fail(0, List.of(new Range(0, 10)));
        window.start(0, List.of(), 3);

        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 10)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(10, 20)));
        assertThat(window.answer(1)).isNull();
    }

    @Test
    void dismissedReaderIsNotInformedAgainUntilItHasFailed() {
        RangeWindow window = new RangeWindow(10, TENS, new EnumeratorState(0, List.of()));
        window.start(0, List.of(), 2);
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 10)));
        window.finish(0, new Range(0, 10), 1);
        assertThat(window.answer(1)).isEqualTo(new Answer(0, null));
        assertThat(window.answer(1)).isNull();

        window.fail(0, List.of(new Range(0, 10)));
        window.start(0, List.of(), 2);
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(0, 10)));
        window.finish(0, new Range(0, 10), 1);
        assertThat(window.answer(1)).isEqualTo(new Answer(0, null));
    }

    @Test
    void endlessRunNeverEnds() {
        EnumeratorState far = new EnumeratorState(Long.MAX_VALUE - 25, List.of());
        RangeWindow window = new RangeWindow(Long.MAX_VALUE, TENS, far);
        window.start(0, List.of(), 9);

        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(Long.MAX_VALUE - 25, Long.MAX_VALUE - 15)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(Long.MAX_VALUE - 15, Long.MAX_VALUE - 5)));
        assertThat(window.answer(1)).isEqualTo(new Answer(0, new Range(Long.MAX_VALUE - 5, Long.MAX_VALUE)));
    }

    @Test
    void stateBeyondTheEndIsRefused() {
        assertThatThrownBy(() -> new RangeWindow(99, TENS, new EnumeratorState(100, List.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("position 100")
                .hasMessageContaining("only 99");
    }
}
