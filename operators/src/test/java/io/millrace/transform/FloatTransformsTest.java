package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FloatTransformsTest {
    private static final Map<String, Object> PHOTO =
            Map.of("mean", List.of(0.485, 0.456, 0.406), "std", List.of(0.229, 0.224, 0.225));

    @Test
    void bytesAreDividedAndTheImageStaysAnImage() throws BadSampleException {
        Field made = applied(ramp(5, 7, 3), "ToFloat", Map.of());
        assertThat(made.dtype()).isEqualTo(DType.FLOAT32);
        assertThat(made.kind()).isEqualTo(FieldKind.IMAGE);
        assertThat(made.shape()).containsExactly(5, 7, 3);
        for (int i = 0; i < 105; i++) {
            assertThat(floats(made).get(i)).isEqualTo((i * 5 & 255) / 255f);
        }
    }

    @Test
    void bytesAndFloatsAreStandardizedByTheNumbersOfTheirChannel() throws BadSampleException {
        Field scaled = applied(ramp(4, 4, 3), "ToFloat", Map.of());
        float[] before = new float[48];
        floats(scaled).get(before);
        Field made = applied(scaled, "Normalize", PHOTO);
        Field ofBytes = applied(ramp(4, 4, 3), "Normalize", PHOTO);
        float[] mean = {0.485f, 0.456f, 0.406f};
        float[] deviation = {0.229f, 0.224f, 0.225f};
        for (int i = 0; i < 48; i++) {
            assertThat(floats(made).get(i)).isEqualTo((before[i] - mean[i % 3]) / deviation[i % 3]);
            assertThat(floats(ofBytes).get(i)).isEqualTo(((i * 5 & 255) - mean[i % 3]) / deviation[i % 3]);
        }
    }

    @Test
    void colorsOfBytesAndOfFloatsAreConvertedAlike() throws BadSampleException {
        Field ofBytes = applied(ramp(8, 8, 3), "ConvertColor", Map.of());
        Field ofFloats = applied(applied(ramp(8, 8, 3), "ToFloat", Map.of("scale", 1.0)), "ConvertColor", Map.of());
        assertThat(ofFloats.data()).isEqualTo(ofBytes.data());
        assertThat(floats(ofBytes).get(0)).isEqualTo(Math.fma(10f, 0.114f, Math.fma(5f, 0.587f, 0f)));
    }

    @Test
    void sampleOfAnotherSizeGetsANewArray() throws BadSampleException {
        Transform transform = TransformSpec.of("ToFloat", Map.of()).create();
        for (int size : new int[] {6, 6, 3}) {
            Sample sample = new Sample(0, "a", -1).put(Sample.IMAGE, ramp(size, size, 1));
            transform.apply(sample, new SampleRandom(1, 0).reset(0, 0));
            assertThat(floats(sample.field(Sample.IMAGE)).get(size * size - 1))
                    .isEqualTo(((size * size - 1) * 5 & 255) / 255f);
        }
    }

    @Test
    void numbersOfManyChannelsAreSupported() throws BadSampleException {
        Field made = applied(
                Field.of(DType.UINT8, new int[] {5}, new byte[] {1, 2, 3, 4, 5}),
                "Normalize",
                Map.of("mean", List.of(1.0, 1.0, 1.0, 1.0, 2.0), "std", List.of(2.0)));
        assertThat(floats(made).get(4)).isEqualTo(1.5f);
    }

    @Test
    void optionThatDoesNotMatchTheFieldIsAFaultOfThePipeline() {
        assertThatThrownBy(() -> applied(ramp(2, 2, 1), "ConvertColor", Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ConvertColor: the matrix needs pixels of 3 channels, found 1")
                .hasMessageContaining("'image'");
        assertThatThrownBy(() -> applied(ramp(2, 2, 1), "Normalize", PHOTO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'mean' has 3 numbers");
        assertThatThrownBy(() -> applied(Field.encoded(new byte[] {1}), "ToFloat", Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'decode' is missing before ToFloat");
    }

    private static Field applied(Field field, String transform, Map<String, ?> options) throws BadSampleException {
        Sample sample = new Sample(0, "a", -1).put(Sample.IMAGE, field);
        TransformSpec.of(transform, options).create().apply(sample, new SampleRandom(1, 0).reset(0, 0));
        return sample.field(Sample.IMAGE);
    }

    private static Field ramp(int height, int width, int channels) {
        byte[] pixels = new byte[height * width * channels];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i * 5);
        }
        return Field.image(height, width, channels, pixels);
    }

    private static FloatBuffer floats(Field field) {
        return ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    }
}
