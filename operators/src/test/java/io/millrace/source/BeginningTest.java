package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BeginningTest {
    private static final RunIdentity RUN =
            new RunIdentity(Map.of("batch.size", "64", "order.seed", "42", "transforms", "[decode]"), "runs/a/1");
    private static final RunIdentity OTHER =
            new RunIdentity(Map.of("batch.size", "32", "order.seed", "42", "ranks", "2"), "runs/a/2");

    @Test
    void everySettingThatDiffersIsTold() {
        assertThat(RUN.differencesTo(OTHER))
                .containsExactly(
                        "batch.size: the checkpoint has 32, this run 64",
                        "ranks: the checkpoint has 2, this run nothing",
                        "transforms: the checkpoint has nothing, this run [decode]");
    }

    @Test
    void theSameRunInAnotherFolderIsTheSame() {
        assertThat(RUN.differencesTo(new RunIdentity(RUN.meaning(), "elsewhere")))
                .isEmpty();
    }

    @Test
    void aCheckpointOfAnotherRunIsRefusedUnlessTaken() {
        assertThatThrownBy(() -> new Beginning(0, RUN, Beginning.Others.REFUSED).check(OTHER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another run")
                .hasMessageContaining("batch.size: the checkpoint has 32, this run 64");
        assertThatCode(() -> new Beginning(0, RUN, Beginning.Others.TAKEN).check(OTHER))
                .doesNotThrowAnyException();
    }

    @Test
    void aCheckpointThatDoesNotSayWhoseItIsIsTaken() {
        assertThatCode(() -> new Beginning(0, RUN, Beginning.Others.REFUSED).check(RunIdentity.UNKNOWN))
                .doesNotThrowAnyException();
    }

    @Test
    void aRunMayBeginInTheMiddle() {
        assertThat(new Beginning(700, RUN, Beginning.Others.REFUSED).fresh().next())
                .isEqualTo(700);
    }
}
