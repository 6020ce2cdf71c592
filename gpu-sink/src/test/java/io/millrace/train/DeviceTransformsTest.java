package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Compares with what torch and torchvision make of the same bytes. */
class DeviceTransformsTest {
    private static final TrainSpec.Part CONVERT_COLOR = part(DeviceTransforms.all(), "ConvertColor", Map.of());

    @Test
    void withoutTransformsBytesBecomeFloatsUnscaled() throws IOException {
        assertEqual(List.of(), "none", 0);
    }

    @Test
    void scalingAndNormalizingEqualTorchvisionsToTheLastBit() throws IOException {
        assertEqual(List.of(part(DeviceTransforms.all(), "ToFloat", Map.of())), "to_float", 0);
        assertEqual(TrainingFigures.COLOR, "normalized", 0);
    }

    @Test
    void convertedColorsEqualTheMatrix() throws IOException {
        assertEqual(List.of(CONVERT_COLOR), "color", 1e-4f);
    }

    @Test
    void colorsOfGrayImagesAreRefused() {
        BatchSpec gray = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1))));
        assertThatThrownBy(() -> new DeviceTransformPreview(gray, List.of(CONVERT_COLOR)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[28, 28, 1]");
    }

    @Test
    void aMeanForOtherChannelsIsRefused() {
        BatchSpec gray = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1))));
        assertThatThrownBy(() -> new DeviceTransformPreview(gray, TrainingFigures.COLOR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'mean' has 3 numbers")
                .hasMessageContaining("1 channels");
    }

    /** Compares every image; the second and third show that a preview serves again. */
    private static void assertEqual(List<TrainSpec.Part> transforms, String name, float tolerance) throws IOException {
        Vectors vectors = Vectors.read("device_transforms.safetensors");
        byte[] images = new byte[vectors.tensor("images").values().remaining()];
        vectors.tensor("images").values().get(0, images);
        float[] expected = vectors.floats(name);
        int size = images.length / vectors.rows();
        try (DeviceTransformPreview preview = new DeviceTransformPreview(vectors.spec(), transforms)) {
            for (int row = 0; row < vectors.rows(); row++) {
                float[] found = preview.apply(Arrays.copyOfRange(images, row * size, (row + 1) * size));
                assertThat(found)
                        .containsExactly(Arrays.copyOfRange(expected, row * size, (row + 1) * size), within(tolerance));
            }
        }
    }
}
