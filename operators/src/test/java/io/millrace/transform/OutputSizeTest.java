package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutputSizeTest {
    private static final TransformSpec DECODE = TransformSpec.of("decode", Map.of());
    private static final TransformSpec FLIP = TransformSpec.of("RandomHorizontalFlip", Map.of());
    private static final TransformSpec CROP = TransformSpec.of("CenterCrop", Map.of("size", 8L));
    private static final TransformSpec EXPANDING =
            TransformSpec.of("RandomRotation", Map.of("degrees", 30L, "expand", true));

    @Test
    void arraysOfADatasetHaveOneSizeWithoutTransforms() {
        assertThat(OutputSize.isOneSizeAfter(List.of())).isTrue();
        assertThat(OutputSize.isOneSizeAfter(List.of(FLIP))).isTrue();
    }

    @Test
    void decodedImagesMayDifferInSizeUntilATransformFixesIt() {
        assertThat(OutputSize.isOneSizeAfter(List.of(DECODE, FLIP))).isFalse();
        assertThat(OutputSize.isOneSizeAfter(List.of(DECODE, CROP, FLIP))).isTrue();
        assertThat(OutputSize.isOneSizeAfter(List.of(DECODE, CROP, EXPANDING))).isFalse();
    }

    @Test
    void resizeFixesTheSizeOnlyWithHeightAndWidth() {
        assertThat(TransformSpec.of("Resize", Map.of("size", List.of(8L, 9L))).outputSize())
                .isEqualTo(OutputSize.FIXED);
        assertThat(TransformSpec.of("Resize", Map.of("size", 8L)).outputSize()).isEqualTo(OutputSize.SAME);
    }

    @Test
    void rotationKeepsTheSizeUnlessItExpands() {
        assertThat(TransformSpec.of("RandomRotation", Map.of("degrees", 30L)).outputSize())
                .isEqualTo(OutputSize.SAME);
        assertThat(EXPANDING.outputSize()).isEqualTo(OutputSize.VARYING);
    }

    @Test
    void nestedTransformsThatChangeTheSizeMakeItVary() {
        Map<String, Object> flip = Map.of("transforms", List.of("RandomHorizontalFlip"));
        Map<String, Object> crop = Map.of("transforms", List.of(Map.of("CenterCrop", Map.of("size", 8L))));
        for (String name : List.of("RandomApply", "RandomChoice", "RandomOrder")) {
            assertThat(TransformSpec.of(name, flip).outputSize()).isEqualTo(OutputSize.SAME);
            assertThat(TransformSpec.of(name, crop).outputSize()).isEqualTo(OutputSize.VARYING);
        }
    }
}
