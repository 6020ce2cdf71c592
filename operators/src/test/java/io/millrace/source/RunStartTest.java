package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RunStartTest {
    private static final RunIdentity RUN =
            new RunIdentity(Map.of("batch.size", "64", "order.seed", "42", "transforms", "[decode]"), "runs/a/1");
    private static final RunIdentity OTHER =
            new RunIdentity(Map.of("batch.size", "32", "order.seed", "42", "ranks", "2"), "runs/a/2");

    @Test
    void everySettingThatDiffersIsNamed() {
        assertThat(RUN.differencesTo(OTHER))
                .containsExactly(
                        "batch.size: the checkpoint has 32, this run 64",
                        "ranks: the checkpoint has 2, this run nothing",
                        "transforms: the checkpoint has nothing, this run [decode]");
    }

    @Test
    void runInAnotherFolderHasTheSameIdentity() {
        assertThat(RUN.differencesTo(new RunIdentity(RUN.positionSettings(), "elsewhere")))
                .isEmpty();
    }

    @Test
    void checkpointOfAnotherRunIsRefusedUnlessOtherRunsAreAccepted() {
        assertThatThrownBy(() -> new RunStart(0, RUN, RunStart.OtherRuns.REFUSED).requireSameRun(OTHER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a run with other settings")
                .hasMessageContaining("batch.size: the checkpoint has 32, this run 64");
        assertThatCode(() -> new RunStart(0, RUN, RunStart.OtherRuns.ACCEPTED).requireSameRun(OTHER))
                .doesNotThrowAnyException();
    }

    @Test
    void checkpointWithoutAnIdentityIsAccepted() {
        assertThatCode(() -> new RunStart(0, RUN, RunStart.OtherRuns.REFUSED).requireSameRun(RunIdentity.UNKNOWN))
                .doesNotThrowAnyException();
    }

    @Test
    void runMayStartAtALaterPosition() {
        assertThat(new RunStart(700, RUN, RunStart.OtherRuns.REFUSED)
                        .initialState()
                        .next())
                .isEqualTo(700);
    }
}
