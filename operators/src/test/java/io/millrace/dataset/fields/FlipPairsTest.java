package io.millrace.dataset.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FlipPairsTest {
    /** The keypoints of COCO's persons, from its file. */
    private static final List<String> PERSON = List.of(
            "nose",
            "left_eye",
            "right_eye",
            "left_ear",
            "right_ear",
            "left_shoulder",
            "right_shoulder",
            "left_elbow",
            "right_elbow",
            "left_wrist",
            "right_wrist",
            "left_hip",
            "right_hip",
            "left_knee",
            "right_knee",
            "left_ankle",
            "right_ankle");

    @Test
    void personsHaveThePairsOfTheirNames() {
        assertThat(FlipPairs.ofNames(PERSON)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        assertThat(FlipPairs.ofNames(List.of("R_Eye", "L_Eye", "Nose", "L_F_Paw")))
                .containsExactly(1, 0);
        assertThat(FlipPairs.ofNames(List.of("EyeLeft", "x", "EyeRight", "left", "left", "right")))
                .containsExactly(0, 2, 3, 5);
        assertThat(FlipPairs.ofNames(List.of("nose", "left_eye", ""))).isEmpty();
        assertThat(FlipPairs.ofNames(List.of())).isEmpty();
    }

    @Test
    void pairsAreListsOfTwoDifferentNumbers() {
        assertThat(FlipPairs.parse(List.of(List.of(1L, 2L), List.of(4L, 0L)), "here"))
                .containsExactly(1, 2, 4, 0);
        for (Object bad : List.of(
                "names",
                List.of(),
                List.of(1L, 2L),
                List.of(List.of(1L)),
                List.of(List.of(1L, 1L)),
                List.of(List.of(1L, 2L), List.of(2L, 3L)),
                List.of(List.of(-1L, 2L)),
                List.of(List.of(0L, 65536L)),
                List.of(List.of(0L, 4294967297L)),
                List.of(List.of(1.0, 2L)),
                List.of(List.of("left", "right")))) {
            assertThatThrownBy(() -> FlipPairs.parse(bad, "here"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "expected here pairs of different numbers from 0 to 65535, each number once, such as [[1, 2], [3, 4]], found ");
        }
    }
}
