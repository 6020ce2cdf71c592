package io.millrace.train.input;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.image.FloatStep;
import io.millrace.sample.DType;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that compare device transforms with torch and torchvision for the same bytes. */
class DeviceTransformsTest {
    private static final Component CONVERT_COLOR = part(DeviceTransforms.all(), "ConvertColor", Map.of());

    @Test
    void withoutTransformsBytesBecomeFloatsUnscaled() throws IOException {
        assertEqual(List.of(), "none", 0);
    }

    @Test
    void scalingAndNormalizingEqualTorchvisionToTheLastBit() throws IOException {
        assertEqual(List.of(part(DeviceTransforms.all(), "ToFloat", Map.of())), "to_float", 0);
        assertEqual(TrainingFigures.COLOR, "normalized", 0);
    }

    @Test
    void convertedColorsEqualTheMatrix() throws IOException {
        assertEqual(List.of(CONVERT_COLOR), "color", 1e-4f);
    }

    /**
     * The pixels have all pairs of bytes in two channels. The third channel has every value, together with some values
     * of the others.
     */
    @Test
    void onePassEqualsSeparateOperationsAndColorsWithinRounding() {
        List<Component> color = List.of(CONVERT_COLOR);
        List<Component> scaled = List.of(CONVERT_COLOR, part(DeviceTransforms.all(), "ToFloat", Map.of()));
        BatchSpec.Column column = new BatchSpec.Column("image", DType.UINT8, List.of(256, 256, 3));
        for (List<Component> parts : List.of(TrainingFigures.COLOR, color, scaled, reversed(scaled))) {
            try (PtNDManager manager = TrainingRuntime.open(1);
                    DeviceOps ops = new DeviceOps(manager);
                    AlignedMemory bytes = AlignedMemory.allocate(column.elementBytes(), "bytes")) {
                List<FloatStep> steps = DeviceTransforms.floatSteps(parts, column.shape());
                for (int i = 0; i < 1 << 16; i++) {
                    bytes.buffer().put(3 * i, (byte) i);
                    bytes.buffer().put(3 * i + 1, (byte) (i >> 8));
                    bytes.buffer().put(3 * i + 2, (byte) ((i * 31) >> 4));
                }
                PtNDArray part = manager.create(bytes.buffer(), ColumnNumbers.batch(1, column.shape()), DataType.UINT8)
                        .toType(DataType.FLOAT32, true);
                for (FloatStep step : steps) {
                    part = TensorStep.of(step, column.shape(), manager).apply(part, ops, manager);
                }
                try (HostInput input =
                        new HostInput(new BatchSpec(List.of(column)), column, 1, steps, MemoryFormat.CHANNELS_LAST)) {
                    PtNDArray made = input.make(bytes.buffer(), 1, List.of(), manager);
                    float[] found = made.transpose(0, 2, 3, 1).toFloatArray();
                    // The engine's matrix product rounds differently.
                    float tolerance = parts.contains(CONVERT_COLOR) ? 1e-4f : 0;
                    assertClose(found, part.toFloatArray(), tolerance);
                }
            }
        }
    }

    private static List<Component> reversed(List<Component> parts) {
        List<Component> reversed = new ArrayList<>(parts);
        Collections.reverse(reversed);
        return reversed;
    }

    @Test
    void colorsOfGrayImagesAreRefused() {
        BatchSpec gray = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1))));
        assertThatThrownBy(() -> new DeviceTransformPreview(gray, List.of(CONVERT_COLOR)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ConvertColor: the matrix needs pixels of 3 channels, found 1");
    }

    @Test
    void meanForOtherChannelsIsRefused() {
        BatchSpec gray = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1))));
        assertThatThrownBy(() -> new DeviceTransformPreview(gray, TrainingFigures.COLOR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'mean' has 3 numbers")
                .hasMessageContaining("1 channels");
    }

    /** Compares every image. The second and third show that a preview can be used again. */
    private static void assertEqual(List<Component> transforms, String name, float tolerance) throws IOException {
        Vectors vectors = Vectors.read("device_transforms.safetensors");
        byte[] images = new byte[vectors.tensor("images").values().remaining()];
        vectors.tensor("images").values().get(0, images);
        float[] expected = vectors.floats(name);
        int size = images.length / vectors.rows();
        try (DeviceTransformPreview preview = new DeviceTransformPreview(vectors.spec(), transforms)) {
            for (int row = 0; row < vectors.rows(); row++) {
                float[] found = preview.apply(Arrays.copyOfRange(images, row * size, (row + 1) * size));
                assertClose(found, Arrays.copyOfRange(expected, row * size, (row + 1) * size), tolerance);
            }
        }
    }

    /** Asserts the same as {@code containsExactly}, whose time is quadratic in the number of values. */
    private static void assertClose(float[] found, float[] expected, float tolerance) {
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            if (!(Math.abs((double) found[i] - expected[i]) <= tolerance)) {
                assertThat(found[i]).as("value %d", i).isCloseTo(expected[i], within(tolerance));
            }
        }
    }
}
