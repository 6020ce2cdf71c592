package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.rest.StageReading;
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
                List.of(new Profile.Row("forward", 2_814L, 1_407.0, 1.25, 0.405)),
                List.of(StageReading.unknown("python", 2)
                        .with(new CodeProfile(
                                "augment:noise",
                                1_200,
                                List.of(
                                        new CodeLine("augment.py", 7, "noise", "image[:] = brighter(image)", 900),
                                        new CodeLine("", 0, "", "", 300))))));
        assertThat(ProfileTable.render(profile)).isEqualTo("""
                        operation               count  total ms  mean ms  p99 ms   share
                        data stages, all slots
                          read                      -         -        -       -       -
                        training
                          forward               2,814   1,407.0   0.5000  1.2500  40.5 %
                        python augment:noise: 1,200 looks at the running function
                          75.0 %  augment.py:7            noise  image[:] = brighter(image)
                          25.0 %  outside of Python code
                        """);
    }
}
