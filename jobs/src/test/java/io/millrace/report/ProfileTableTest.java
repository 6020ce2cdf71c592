package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProfileTableTest {
    @Test
    void stagesAreOnTheDataSideWithTheirShares() {
        RunSummary summary = RunSummaryTest.summary(0.5);
        Profile profile = Profile.of(summary, List.of());
        assertThat(profile.data())
                .as("the stage 'train' is replaced by its operations")
                .containsExactly(new Profile.Row("read", 180_000L, 210.0, null, 1.0));
        assertThat(profile.training()).containsExactly(new Profile.Row("checkpoint copy", 2L, 1.25, null, 1.0));
    }

    @Test
    void unknownIsADash() {
        Profile profile = new Profile(
                List.of(new Profile.Row("read", null, null, null, null)),
                List.of(new Profile.Row("forward", 2_814L, 1_407.0, 1.25, 0.405)));
        assertThat(ProfileTable.render(profile)).isEqualTo("""
                        operation               count  total ms  mean ms  p99 ms   share
                        data stages, all slots
                          read                      -         -        -       -       -
                        training
                          forward               2,814   1,407.0   0.5000  1.2500  40.5 %
                        """);
    }
}
