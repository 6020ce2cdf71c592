package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of masks of objects and of pairs of points with the results of torchvision, see src/test/python/object_vectors.py. */
class ObjectVectorsTest {
    static List<Row> masks() {
        return ImageVectors.tableAt("/vectors/transform/objects/masks.csv");
    }

    static List<Row> flipped() {
        return ImageVectors.tableAt("/vectors/transform/objects/flipped.csv");
    }

    private static Field masks(Row row, String column, String prefix) {
        byte[] bits = new byte[row.text(column).length()];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = (byte) (row.text(column).charAt(i) - '0');
        }
        int[] shape = {row.number("objects"), row.number(prefix + "height"), row.number(prefix + "width")};
        return Field.of(DType.BOOL, shape, bits)
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Form.MASKS, false, null));
    }

    private static Transform transform(Row row) {
        double[] n = row.reals("numbers");
        return switch (row.text("call")) {
            case "horizontal_flip" -> TransformFixture.create("RandomHorizontalFlip", Map.of("p", 1.0));
            case "vertical_flip" -> TransformFixture.create("RandomVerticalFlip", Map.of("p", 1.0));
            case "resize" -> TransformFixture.create("Resize", Map.of("size", List.of((long) n[0], (long) n[1])));
            case "center_crop" ->
                TransformFixture.create("CenterCrop", Map.of("size", List.of((long) n[0], (long) n[1])));
            case "pad" ->
                TransformFixture.create(
                        "Pad",
                        Map.of(
                                "padding",
                                Arrays.stream(n).mapToObj(value -> (long) value).toList()));
            case "rotate" -> TransformFixture.create("RandomRotation", Map.of("degrees", List.of(n[0], n[0])));
            case "rotate_expand" ->
                TransformFixture.create("RandomRotation", Map.of("degrees", List.of(n[0], n[0]), "expand", true));
            default ->
                TransformFixture.create(
                        "RandomAffine",
                        Map.of(
                                "degrees",
                                List.of(n[0], n[0]),
                                "scale",
                                List.of(n[1], n[1]),
                                "shear",
                                List.of(n[2], n[2], n[3], n[3])));
        };
    }

    @ParameterizedTest
    @MethodSource("masks")
    void masksMoveAsThoseOfTorchvision(Row row) throws Exception {
        Sample sample = new Sample(0, "photos/0.jpg", 0)
                .put("masks", masks(row, "masks", ""))
                .put(Sample.IMAGE, TransformFixture.noise(row.number("height"), row.number("width"), 3));
        transform(row).apply(sample, new SampleRandom(5, 1).reset(0, 0));
        assertThat(sample.field("masks").shape())
                .containsExactly(row.number("objects"), row.number("result_height"), row.number("result_width"));
        assertThat(sample.field("masks").data())
                .isEqualTo(masks(row, "moved", "result_").data());
    }

    private static Field points(Row row, String column, List<Integer> pairs) {
        Field flat = AnnotationsTest.floats(
                new Annotation(Form.POINTS, false, "boxes").withFlipPairs(pairs), 2, row.reals(column));
        return Field.of(flat.dtype(), new int[] {row.number("objects"), row.number("points"), 2}, flat.data())
                .as(FieldKind.RAGGED)
                .annotated(flat.annotation());
    }

    private static List<Integer> pairs(Row row) {
        return Arrays.stream(row.reals("pairs")).mapToObj(pair -> (int) pair).toList();
    }

    private static Sample flipped(Row row, List<Integer> pairs, String... transforms) throws Exception {
        Sample sample = new Sample(0, "photos/0.jpg", 0)
                .put("points", points(row, "given", pairs))
                .put(Sample.IMAGE, TransformFixture.noise(row.number("height"), row.number("width"), 3));
        for (String name : transforms) {
            TransformFixture.create(name, Map.of("p", 1.0)).apply(sample, new SampleRandom(5, 1).reset(0, 0));
        }
        return sample;
    }

    @ParameterizedTest
    @MethodSource("flipped")
    void aFlipExchangesThePointsOfEachPair(Row row) throws Exception {
        double[] once = AnnotationsTest.numbers(
                flipped(row, pairs(row), "RandomHorizontalFlip").field("points"));
        assertThat(once).containsExactly(row.reals("moved"), within(1e-4));
        double[] twice =
                AnnotationsTest.numbers(flipped(row, pairs(row), "RandomHorizontalFlip", "RandomHorizontalFlip")
                        .field("points"));
        assertThat(twice).containsExactly(row.reals("given"), within(1e-4));
        double[] rows = AnnotationsTest.numbers(
                flipped(row, pairs(row), "RandomVerticalFlip").field("points"));
        double[] without = AnnotationsTest.numbers(
                flipped(row, List.of(), "RandomVerticalFlip").field("points"));
        assertThat(rows).as("a vertical flip exchanges nothing").isEqualTo(without);
    }

    @Test
    void visibilitiesChangePlacesWithTheirPoints() throws Exception {
        Field flat = AnnotationsTest.floats(
                new Annotation(Form.POINTS, false, null).withFlipPairs(List.of(0, 2)), 3, 1, 2, 2, 5, 6, 1, 0, 0, 0);
        Sample sample = new Sample(0, "photos/0.jpg", 0)
                .put("points", flat)
                .put(Sample.IMAGE, TransformFixture.noise(9, 10, 3));
        TransformFixture.create("RandomHorizontalFlip", Map.of("p", 1.0))
                .apply(sample, new SampleRandom(5, 1).reset(0, 0));
        assertThat(AnnotationsTest.numbers(sample.field("points"))).containsExactly(0, 0, 0, 4, 6, 1, 8, 2, 2);
    }

    @Test
    void pairsOfMissingPointsAreABadSample() {
        Row row = flipped().stream()
                .filter(one -> one.number("objects") > 0)
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> flipped(row, List.of(0, 40), "RandomHorizontalFlip"))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining(
                        "expected at least 41 points of each object in 'points', because flip_pairs names point 40,"
                                + " found FLOAT32[");
    }
}
