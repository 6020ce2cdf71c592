package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CompilerWarmUpTest {
    private final CompilerWarmUp warmUp =
            new CompilerWarmUp(new TrialLimits(Duration.ofSeconds(3), 0.03, Duration.ofSeconds(15)));

    /** Returns the first second in which the warm-up is over, if the compilers worked for so many milliseconds in each second. */
    private int over(List<Integer> compiled) {
        long sum = 40_000; // of the process before the trial
        for (int second = 0; second <= compiled.size(); second++) {
            sum += second == 0 ? 0 : compiled.get(second - 1);
            if (warmUp.isOver(Duration.ofSeconds(second), sum)) {
                return second;
            }
        }
        return Integer.MAX_VALUE;
    }

    @Test
    void warmUpIsShortWhenLittleIsCompiled() {
        assertThat(over(List.of(900, 200, 50, 10))).isEqualTo(3);
    }

    /** As measured with conf/text.yaml without a model on two cores at a load of 10: the speed still rose by a half after 18 s. */
    @Test
    void warmUpLastsWhileTheCompilersAreBusy() {
        assertThat(over(List.of(1_800, 1_910, 1_820, 1_800, 700, 1_890, 250, 90)))
                .isEqualTo(7);
    }

    @Test
    void warmUpEndsWhenTheCompilersAreNeverDone() {
        assertThat(over(IntStream.range(0, 20).mapToObj(i -> 1_000).toList())).isEqualTo(15);
    }

    @Test
    void warmUpThatIsOverStaysOver() {
        assertThat(over(List.of(10, 10, 10))).isEqualTo(3);
        assertThat(warmUp.isOver(Duration.ofSeconds(4), 90_000)).isTrue();
    }

    @Test
    void compilersOfThisProcessHaveWorked() {
        assertThat(CompilerWarmUp.compiledMillis()).isPositive();
    }
}
