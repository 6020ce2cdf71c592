package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class EvaluationRhythmTest {
    /** Returns the steps at which the evaluation is announced to a loop with steps of this time. */
    private static List<Long> announced(EvaluationRhythm rhythm, LongStream steps, long stepMillis) {
        long[] now = {0};
        return steps.filter(step -> {
                    now[0] += TimeUnit.MILLISECONDS.toNanos(stepMillis);
                    return rhythm.nears(step, now[0]);
                })
                .boxed()
                .toList();
    }

    @Test
    void theEvaluationIsAnnouncedTwoSecondsBeforeTheEndOfEachEpochThatItFollows() {
        EvaluationRhythm rhythm = new EvaluationRhythm(100, 2);
        assertThat(announced(rhythm, LongStream.range(0, 400), 100)).containsExactly(179L, 379L);
    }

    @Test
    void fastEpochsAreAnnouncedWithTheirSecondStep() {
        assertThat(announced(new EvaluationRhythm(100, 1), LongStream.range(0, 300), 1))
                .containsExactly(1L, 100L, 200L);
    }

    @Test
    void slowStepsAreAnnouncedWithTheLastOne() {
        assertThat(announced(new EvaluationRhythm(3, 1), LongStream.range(0, 6), 10_000))
                .containsExactly(2L, 5L);
    }

    @Test
    void anEpochThatIsDoneAgainIsAnnouncedAgain() {
        EvaluationRhythm rhythm = new EvaluationRhythm(10, 1);
        LongStream steps = LongStream.concat(LongStream.range(0, 10), LongStream.range(5, 10));
        assertThat(announced(rhythm, steps, 1000)).containsExactly(7L, 7L);
    }

    @Test
    void anEpochOfOneStepIsAnnouncedWithIt() {
        assertThat(announced(new EvaluationRhythm(1, 3), LongStream.range(0, 7), 5))
                .containsExactly(2L, 5L);
    }
}
