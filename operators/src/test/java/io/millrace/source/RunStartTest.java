package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RunStartTest {
    private static final RunIdentity RUN =
            new RunIdentity(Map.of("batch.size", "64", "order.seed", "42", "transforms", "[decode]"), "runs/a/1");
    private static final RunIdentity OTHER =
            new RunIdentity(Map.of("batch.size", "32", "order.seed", "42", "ranks", "2"), "runs/a/2");

    @Test
    void everySettingThatDiffersIsNamed() {
        assertThat(RUN.differencesTo(OTHER, 0))
                .containsExactly(
                        "batch.size: the checkpoint has 32, this run 64",
                        "ranks: the checkpoint has 2, this run nothing",
                        "transforms: the checkpoint has nothing, this run [decode]");
    }

    /** Of version 0.1.0, whose identities know nothing of a dataset but its size. */
    @Test
    void anOlderStateIsComparedByTheKeysOfItsTime() {
        RunIdentity older = new RunIdentity(Map.of("dataset.size", "9", "order.seed", "42"), "");
        Map<String, String> later = Map.of(
                "dataset.size", "9",
                "dataset.format", "npy",
                "dataset.fields", "{image: a.npy}",
                "evaluate.dataset.format", "npy",
                "train.ranks.seed", "[1, 2]",
                "order.seed", "42");

        assertThat(new RunIdentity(later, "").differencesTo(older, 0)).isEmpty();
        Map<String, String> other = new TreeMap<>(later);
        other.put("dataset.size", "8");
        other.put("evaluate.dataset.size", "3");
        other.put("evaluate.every", "2");
        assertThat(new RunIdentity(other, "").differencesTo(older, 0))
                .containsExactly(
                        "dataset.size: the checkpoint has 9, this run 8",
                        "evaluate.dataset.size: the checkpoint has nothing, this run 3",
                        "evaluate.every: the checkpoint has nothing, this run 2");
        other = new TreeMap<>(later);
        other.put("dataset.fields", "{image: b.npy}");
        assertThat(new RunIdentity(other, "").differencesTo(new RunIdentity(later, ""), 0))
                .containsExactly("dataset.fields: the checkpoint has {image: a.npy}, this run {image: b.npy}");
    }

    @Test
    void runInAnotherFolderHasTheSameIdentity() {
        assertThat(RUN.differencesTo(new RunIdentity(RUN.positionSettings(), "elsewhere"), 0))
                .isEmpty();
    }

    @Test
    void checkpointOfAnotherRunIsRefusedUnlessOtherRunsAreAccepted() {
        assertThatThrownBy(() -> new RunStart(0, RUN, RunStart.OtherRuns.REFUSED).requireSameRun(OTHER, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a run with other settings")
                .hasMessageContaining("batch.size: the checkpoint has 32, this run 64");
        assertThatCode(() -> new RunStart(0, RUN, RunStart.OtherRuns.ACCEPTED).requireSameRun(OTHER, 0))
                .doesNotThrowAnyException();
    }

    @Test
    void checkpointWithoutAnIdentityIsAccepted() {
        assertThatCode(() -> new RunStart(0, RUN, RunStart.OtherRuns.REFUSED).requireSameRun(RunIdentity.UNKNOWN, 0))
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
