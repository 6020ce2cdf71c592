package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TrialLimitsTest {
    private static final TrialLimits LIMITS = new TrialLimits(Duration.ofSeconds(2), 0.03, Duration.ofSeconds(8));

    private static boolean reached(int elapsed, int risen) {
        return LIMITS.reached(Duration.ofSeconds(elapsed), Duration.ofSeconds(risen), 0.05);
    }

    @Test
    void trialWithoutARiseEndsAfterTheLongestTime() {
        assertThat(reached(7, 2)).isFalse();
        assertThat(reached(8, 2)).isTrue();
    }

    @Test
    void trialMeasuresAfterARise() {
        assertThat(reached(15, 10)).isFalse();
        assertThat(reached(16, 10)).isTrue();
    }

    @Test
    void trialThatRisesWithoutEndEnds() {
        assertThat(reached(23, 23)).isFalse();
        assertThat(reached(24, 24)).isTrue();
    }

    @Test
    void trialWithBurstsLastsLonger() {
        Duration risen = LIMITS.warmUp();

        assertThat(LIMITS.reached(Duration.ofSeconds(8), risen, 0.3)).isFalse();
        assertThat(LIMITS.reached(Duration.ofSeconds(24), risen, 0.3)).isTrue();
    }

    @Test
    void limitsThatContradictAreRejected() {
        Duration second = Duration.ofSeconds(1);
        Duration two = Duration.ofSeconds(2);

        assertThatThrownBy(() -> new TrialLimits(Duration.ZERO, 0.03, two, second, two))
                .hasMessage("unsteady: expected at least PT2S, found PT1S");
        assertThatThrownBy(() -> new TrialLimits(Duration.ZERO, 0.03, second, two, second))
                .hasMessage("timeout: expected at least PT2S, found PT1S");
        assertThatThrownBy(() -> new TrialLimits(second, 0.03, second))
                .hasMessage("warm-up: expected at least 0 and less than PT1S, found PT1S");
    }
}
