package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColumnOrder;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the masks of objects change as a mask of class numbers does. */
class InstanceMasksTest {
    private static final int HEIGHT = 30;
    private static final int WIDTH = 42;

    /** Returns a sample with two objects, and the class numbers 1 and 2 in their places. */
    private static Sample sample(long index) {
        byte[] classes = new byte[HEIGHT * WIDTH];
        byte[] masks = new byte[2 * HEIGHT * WIDTH];
        for (int i = 0; i < classes.length; i++) {
            int kind = i % WIDTH < 17 + index && i / WIDTH > 8 ? 1 : i % WIDTH > 30 ? 2 : 0;
            classes[i] = (byte) kind;
            if (kind > 0) {
                masks[(kind - 1) * classes.length + i] = 1;
            }
        }
        return new Sample(index, "photos/" + index + ".jpg", 0)
                .put("masks", masks(2, masks))
                .put(Sample.IMAGE, TransformFixture.noise(HEIGHT, WIDTH, 3))
                .put("classes", Field.image(HEIGHT, WIDTH, 1, classes).as(FieldKind.MASK));
    }

    private static Field masks(int count, byte[] values) {
        return Field.of(DType.BOOL, new int[] {count, HEIGHT, WIDTH}, values)
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Form.MASKS, false, "boxes"));
    }

    private static void assertAlike(Sample sample) {
        Field classes = sample.field("classes");
        Field masks = sample.field("masks");
        assertThat(masks.shape()).containsExactly(2, classes.height(), classes.width());
        for (int object = 0; object < 2; object++) {
            byte[] expected = new byte[classes.bytes()];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = (byte) (classes.data()[i] == object + 1 ? 1 : 0);
            }
            byte[] found = Arrays.copyOfRange(masks.data(), object * expected.length, (object + 1) * expected.length);
            assertThat(found).as("object " + object).isEqualTo(expected);
        }
        assertThat(masks.annotation()).isEqualTo(new Annotation(Form.MASKS, false, "boxes"));
    }

    static Stream<Arguments> transforms() {
        return Stream.of(
                Arguments.of("RandomHorizontalFlip", Map.of("p", 0.5)),
                Arguments.of("RandomVerticalFlip", Map.of("p", 0.5)),
                Arguments.of("Resize", Map.of("size", List.of(17L, 50L))),
                Arguments.of("RandomResizedCrop", Map.of("size", 20L)),
                Arguments.of("RandomCrop", Map.of("size", 26L, "padding", 5L, "fill", 9L)),
                Arguments.of("CenterCrop", Map.of("size", List.of(20L, 60L))),
                Arguments.of("Pad", Map.of("padding", 3L, "mask_fill", 7L)),
                Arguments.of("PadTo", Map.of("size", 64L, "mask_fill", 9L)),
                Arguments.of("RandomRotation", Map.of("degrees", 40L, "expand", true, "mask_fill", 9L)),
                Arguments.of("RandomAffine", Map.of("degrees", 40L, "shear", 20L, "fill", 9L)),
                Arguments.of("RandomPerspective", Map.of("p", 1.0)),
                Arguments.of("TrivialAugmentWide", Map.of()));
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void objectsChangeAsClassNumbersDo(String name, Map<String, Object> options) throws Exception {
        Transform transform = TransformFixture.create(name, options);
        SampleRandom random = new SampleRandom(5, 1);
        for (long i = 0; i < 12; i++) {
            Sample sample = sample(i);
            transform.apply(sample, random.reset(0, i));
            assertAlike(sample);
        }
    }

    @Test
    void resizeMirrorsObjectsForTheFlipBehindIt() throws Exception {
        PictureResize resize = new PictureResize("Resize", Interpolation.BILINEAR, sample -> ColumnOrder.MIRRORED);
        Sample sample = sample(3);
        byte[] before = sample.field("masks").data().clone();
        resize.apply(
                sample,
                new ImageFields.Extent(HEIGHT, WIDTH),
                resize.part(sample, Crop.whole(HEIGHT, WIDTH), HEIGHT, WIDTH));
        assertAlike(sample);
        assertThat(sample.field("masks").data()).isNotEqualTo(before);
    }

    @Test
    void noObjectsGetTheSizeOfThePicture() throws Exception {
        Sample sample = sample(0).put("masks", masks(0, new byte[0]));
        TransformFixture.create("Resize", Map.of("size", List.of(8L, 9L)))
                .apply(sample, new SampleRandom(5, 1).reset(0, 0));
        assertThat(sample.field("masks").shape()).containsExactly(0, 8, 9);
    }

    @Test
    void masksOfAnotherSizeThanThePictureAreABadSample() {
        Map<String, Field> fields = new HashMap<>();
        fields.put(Sample.IMAGE, TransformFixture.noise(HEIGHT + 1, WIDTH, 3));
        fields.put("masks", masks(1, new byte[HEIGHT * WIDTH]));
        assertThatThrownBy(() ->
                        TransformFixture.of("CenterCrop", Map.of("size", 8L)).apply(fields))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining(
                        "CenterCrop expected masks of the size of the pictures, [31, 42], in 'masks', found BOOL[1, 30, 42]");
    }
}
