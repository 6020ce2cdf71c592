package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.AffineParameters;
import io.millrace.image.Crop;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.Interpolation;
import io.millrace.image.PerspectiveMap;
import io.millrace.image.PixelOps;
import io.millrace.image.Point;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Annotation;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.ImageFields.Extent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of boxes and points with the results of torchvision, see src/test/python/annotation_vectors.py. */
class AnnotationsTest {
    private static final List<Row> MOVED = ImageVectors.tableAt("/vectors/transform/annotations/moved.csv");

    static Field floats(Annotation annotation, int columns, double... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : values) {
            bytes.putFloat((float) value);
        }
        return Field.of(DType.FLOAT32, new int[] {values.length / columns, columns}, bytes.array())
                .as(FieldKind.RAGGED)
                .annotated(annotation);
    }

    static double[] numbers(Field field) {
        ByteBuffer bytes = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        double[] values = new double[field.bytes() / Float.BYTES];
        Arrays.setAll(values, i -> bytes.getFloat());
        return values;
    }

    private static Field boxes(Form form, double... values) {
        return floats(new Annotation(form, false, null), 4, values);
    }

    private static Field ids(int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long i = 0; i < count; i++) {
            bytes.putLong(i);
        }
        return Field.of(DType.INT64, new int[] {count}, bytes.array())
                .as(FieldKind.RAGGED)
                .annotated(new Annotation(Form.VALUES, false, "boxes"));
    }

    private static Sample sample(Row row, double scaleX, double scaleY) {
        boolean normalized = scaleX != 1;
        double[] boxes = row.reals("boxes");
        double[] points = row.reals("points");
        for (int i = 0; i < boxes.length; i++) {
            boxes[i] /= i % 2 == 0 ? scaleX : scaleY;
        }
        for (int i = 0; i < points.length; i++) {
            points[i] /= i % 2 == 0 ? scaleX : scaleY;
        }
        Form form = Form.valueOf(row.text("format").toUpperCase(Locale.ROOT));
        return new Sample(0, "photos/0.jpg", 0)
                .put("boxes", floats(new Annotation(form, normalized, null), 4, boxes))
                .put("ids", ids(boxes.length / 4))
                .put("points", floats(new Annotation(Form.POINTS, normalized, null), 2, points));
    }

    private static Movement movement(Row row) {
        double[] n = row.reals("numbers");
        Extent size = new Extent(row.number("height"), row.number("width"));
        Extent after = new Extent(row.number("result_height"), row.number("result_width"));
        return switch (row.text("call")) {
            case "horizontal_flip" -> Movement.mirrorColumns(size);
            case "vertical_flip" -> Movement.mirrorRows(size);
            case "resize" ->
                Movement.resizedCrop(size, Crop.whole(size.height(), size.width()), (int) n[0], (int) n[1]);
            case "crop" -> Movement.crop(size, crop(n));
            case "resized_crop" -> Movement.resizedCrop(size, crop(n), (int) n[4], (int) n[5]);
            case "pad" -> Movement.crop(size, new Crop((int) -n[1], (int) -n[0], after.height(), after.width()));
            case "center_crop" ->
                Movement.crop(
                        size,
                        new Crop(
                                (int) Math.rint((size.height() - n[0]) / 2),
                                (int) Math.rint((size.width() - n[1]) / 2),
                                (int) n[0],
                                (int) n[1]));
            case "affine" ->
                Movement.affine(
                        new AffineParameters(n[0], (int) n[1], (int) n[2], n[3], n[4], n[5]).about(center(n, 6, size)),
                        size);
            case "rotate" -> Movement.rotation(n[0], center(n, 1, size), false, size, after);
            case "rotate_expand" -> Movement.rotation(n[0], center(n, 1, size), true, size, after);
            default -> Movement.perspective(perspective(n, size), size);
        };
    }

    private static Crop crop(double[] n) {
        return new Crop((int) n[0], (int) n[1], (int) n[2], (int) n[3]);
    }

    private static Point center(double[] n, int at, Extent size) {
        return n.length > at ? new Point(n[at], n[at + 1]) : Point.center(size.height(), size.width());
    }

    private static PerspectiveMap perspective(double[] n, Extent size) {
        List<Point> corners = new ArrayList<>();
        for (int i = 0; i < n.length; i += 2) {
            corners.add(new Point(n[i], n[i + 1]));
        }
        return PerspectiveMap.between(PerspectiveMap.corners(size.height(), size.width()), corners)
                .orElseThrow();
    }

    static List<Row> moved() {
        return MOVED;
    }

    /** The tolerance grows with the coordinates, which float32 computes in torchvision. */
    private static void assertNear(Field found, double[] expected, double scaleX, double scaleY, String what) {
        double[] values = numbers(found);
        assertThat(values).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            double value = values[i] * (i % 2 == 0 ? scaleX : scaleY);
            assertThat(value).as(what + " " + i).isCloseTo(expected[i], within(1e-3 + 2e-5 * Math.abs(expected[i])));
        }
    }

    private static void assertMoved(Row row, Sample sample, double scaleX, double scaleY) {
        assertNear(sample.field("boxes"), row.reals("moved_boxes"), scaleX, scaleY, "boxes of " + row);
        assertNear(sample.field("points"), row.reals("moved_points"), scaleX, scaleY, "points of " + row);
        ByteBuffer ids = ByteBuffer.wrap(sample.field("ids").data()).order(ByteOrder.LITTLE_ENDIAN);
        double[] kept = new double[ids.capacity() / Long.BYTES];
        Arrays.setAll(kept, i -> ids.getLong());
        assertThat(kept).as("kept of " + row).isEqualTo(row.reals("kept"));
    }

    @ParameterizedTest
    @MethodSource("moved")
    void boxesPointsAndTheirLabelsAreThoseOfTorchvision(Row row) throws Exception {
        Sample sample = sample(row, 1, 1);
        Annotations.move(sample, movement(row));
        assertMoved(row, sample, 1, 1);
    }

    @ParameterizedTest
    @MethodSource("moved")
    void normalizedBoxesAreSharesOfThePictureBeforeAndAfter(Row row) throws Exception {
        Sample sample = sample(row, row.number("width"), row.number("height"));
        Annotations.move(sample, movement(row));
        double[] kept = row.reals("kept");
        assertThat(sample.field("boxes").shape()[0]).isEqualTo(kept.length);
        assertMoved(row, sample, row.number("result_width"), row.number("result_height"));
    }

    /** The transforms whose options fix what they do. */
    static List<Row> fixed() {
        return MOVED.stream().filter(row -> transform(row).isPresent()).toList();
    }

    private static Optional<TransformSpec> transform(Row row) {
        List<Object> n = GeometryVectors.raw(row, "numbers");
        return switch (row.text("call")) {
            case "horizontal_flip" -> spec("RandomHorizontalFlip", Map.of("p", 1L));
            case "vertical_flip" -> spec("RandomVerticalFlip", Map.of("p", 1L));
            case "resize" -> spec("Resize", Map.of("size", n));
            case "pad" -> spec("Pad", Map.of("padding", n));
            case "center_crop" -> spec("CenterCrop", Map.of("size", n));
            case "affine" ->
                n.get(1).equals(0L) && n.get(2).equals(0L)
                        ? spec(
                                "RandomAffine",
                                options(
                                        Map.of(
                                                "degrees",
                                                List.of(n.get(0), n.get(0)),
                                                "scale",
                                                List.of(n.get(3), n.get(3)),
                                                "shear",
                                                List.of(n.get(4), n.get(4), n.get(5), n.get(5))),
                                        n.subList(6, n.size())))
                        : Optional.empty();
            case "rotate" ->
                spec("RandomRotation", options(Map.of("degrees", List.of(n.get(0), n.get(0))), n.subList(1, n.size())));
            case "rotate_expand" ->
                spec("RandomRotation", Map.of("degrees", List.of(n.get(0), n.get(0)), "expand", true));
            default -> Optional.empty();
        };
    }

    private static Optional<TransformSpec> spec(String name, Map<String, Object> options) {
        return Optional.of(TransformSpec.of(name, options));
    }

    private static Map<String, Object> options(Map<String, Object> some, List<Object> center) {
        Map<String, Object> all = new LinkedHashMap<>(some);
        if (!center.isEmpty()) {
            all.put("center", center);
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("fixed")
    void transformsMoveBoxesAndPointsTogetherWithThePixels(Row row) throws Exception {
        TransformSpec transform = transform(row).orElseThrow();
        Sample sample = sample(row, 1, 1)
                .put(Sample.IMAGE, TransformFixture.noise(row.number("height"), row.number("width"), 3));
        transform.create().apply(sample, new SampleRandom(42, 3).reset(0, 0));
        if (transform.options().raw().containsKey("expand") && !hasSizeOf(row, sample.image())) {
            // Pictures have Pillow's size, which is up to a pixel larger than the size that torchvision computes for
            // boxes. Without boxes,
            // torchvision leaves the size as it was.
            if (row.reals("boxes").length > 0) {
                assertThat(sample.image().height()).isCloseTo(row.number("result_height"), within(1));
                assertThat(sample.image().width()).isCloseTo(row.number("result_width"), within(1));
            }
            return;
        }
        assertThat(hasSizeOf(row, sample.image())).isTrue();
        assertMoved(row, sample, 1, 1);
    }

    private static boolean hasSizeOf(Row row, Field image) {
        return image.height() == row.number("result_height") && image.width() == row.number("result_width");
    }

    /** A picture that is black but for one rectangle of white pixels, whose box and whose first pixel are known. */
    private static Sample rectangle(int top, int left, int height, int width) {
        Field image = Field.image(24, 36, 1, new byte[24 * 36]);
        for (int y = top; y < top + height; y++) {
            Arrays.fill(image.data(), y * 36 + left, y * 36 + left + width, (byte) 255);
        }
        return new Sample(0, "photos/0.png", 0)
                .put(Sample.IMAGE, image)
                .put("boxes", boxes(Form.XYWH, left, top, width, height));
    }

    private static double[] whiteBox(Field image) {
        int left = Integer.MAX_VALUE;
        int top = Integer.MAX_VALUE;
        int right = -1;
        int bottom = -1;
        for (int y = 0; y < image.height(); y++) {
            for (int x = 0; x < image.width(); x++) {
                if (image.data()[(y * image.width() + x) * image.channels()] != 0) {
                    left = Math.min(left, x);
                    top = Math.min(top, y);
                    right = Math.max(right, x);
                    bottom = Math.max(bottom, y);
                }
            }
        }
        return right < 0 ? new double[0] : new double[] {left, top, right + 1 - left, bottom + 1 - top};
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RandomCrop",
                "RandomHorizontalFlip",
                "RandomVerticalFlip",
                "PadTo",
                "CenterCrop",
                "RandomRotation"
            })
    void boxesFollowTheWhitePixels(String name) throws Exception {
        Map<String, Object> options =
                switch (name) {
                    case "RandomCrop" -> Map.of("size", List.of(15L, 20L), "padding", 4L);
                    case "PadTo" -> Map.of("size", 50L, "position", "random");
                    case "CenterCrop" -> Map.of("size", List.of(17L, 47L));
                    case "RandomRotation" -> Map.of("degrees", List.of(90L, 90L), "expand", true);
                    default -> Map.of("p", 0.5);
                };
        Transform transform = TransformFixture.create(name, options);
        SampleRandom random = new SampleRandom(7, 2);
        for (int i = 0; i < 60; i++) {
            Sample sample = rectangle(i % 11, i % 17, 3 + i % 7, 4 + i % 5);
            transform.apply(sample, random.reset(0, i));
            assertThat(numbers(sample.field("boxes")))
                    .as("sample " + i + " " + transform.drawn())
                    .containsExactly(whiteBox(sample.image()), within(1e-4));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void uprightBoxesAndPointsFollowTheWhitePixels(int orientation) throws Exception {
        Sample sample = rectangle(3, 5, 6, 9);
        sample.put("points", floats(new Annotation(Form.POINTS, false, null), 2, 5, 3));
        Field corner = Field.image(24, 36, 1, new byte[24 * 36]);
        corner.data()[3 * 36 + 5] = 1;
        double[] pixel = whiteBox(PixelOps.upright(corner, orientation));
        Field turned = PixelOps.upright(sample.image(), orientation);
        Annotations.move(sample, Movement.upright(orientation, new Extent(24, 36)));
        assertThat(numbers(sample.field("boxes"))).containsExactly(whiteBox(turned));
        assertThat(numbers(sample.field("points"))).containsExactly(pixel[0], pixel[1]);
    }

    @Test
    void operationsOfTheAutomaticAugmentationsMoveBoxes() throws Exception {
        Augmenter augmenter = new Augmenter("RandAugment", Paint.of(Interpolation.NEAREST, paint()));
        Sample sample = rectangle(8, 10, 6, 9);
        augmenter.begin(sample);
        augmenter.apply(sample, Augmentation.TRANSLATE_X, 7);
        augmenter.apply(sample, Augmentation.TRANSLATE_Y, -4);
        assertThat(numbers(sample.field("boxes"))).containsExactly(whiteBox(sample.image()), within(1e-4));
        augmenter.apply(sample, Augmentation.ROTATE, 180);
        assertThat(numbers(sample.field("boxes"))).containsExactly(whiteBox(sample.image()), within(1e-4));
        augmenter.apply(sample, Augmentation.SHEAR_X, 0.5);
        double[] white = whiteBox(sample.image());
        assertThat(numbers(sample.field("boxes"))).containsExactly(white, within(1.0));
    }

    private static OptionValues paint() {
        return OptionValues.of(List.of(Paint.FILL, Paint.MASK_FILL), Map.of());
    }

    @Test
    void boxesOfTheFileWithoutASizeGoWhateverIsDrawn() throws Exception {
        for (int i = 0; i < 8; i++) {
            Sample sample = rectangle(3, 5, 6, 9)
                    .put("boxes", boxes(Form.XYXY, 3, 3, 3, 9, Double.NaN, 1, 5, 5, 2, 2, 8, 8, -9, -9, -2, -2))
                    .put("ids", ids(4));
            TransformFixture.create("RandomHorizontalFlip", Map.of("p", 0.5))
                    .apply(sample, new SampleRandom(1, 1).reset(0, i));
            assertThat(sample.field("boxes").shape()).containsExactly(1, 4);
            assertThat(sample.field("ids").data()[0]).isEqualTo((byte) 2);
        }
    }

    @Test
    void pointsOfVisibilityZeroStayAndTheirRowsGoWithTheBoxes() throws Exception {
        Annotation points = new Annotation(Form.POINTS, false, "boxes");
        Field joints = floats(points, 3, 1, 2, 2, 0, 0, 0, 30, 20, 1, 31, 21, 2).shaped(new int[] {2, 2, 3});
        Sample sample = rectangle(0, 0, 6, 9)
                .put("boxes", boxes(Form.XYXY, 0, 0, 9, 6, 30, 20, 30, 22))
                .put("joints", joints);
        TransformFixture.create("RandomHorizontalFlip", Map.of("p", 1L))
                .apply(sample, new SampleRandom(1, 1).reset(0, 0));
        assertThat(sample.field("joints").shape()).containsExactly(1, 2, 3);
        assertThat(numbers(sample.field("joints"))).containsExactly(34, 2, 2, 0, 0, 0);
    }

    @ParameterizedTest
    @CsvSource({"3", "1"})
    void anotherNumberOfLabelsThanBoxesIsABadSample(int labels) {
        Sample sample = rectangle(0, 0, 6, 9)
                .put("boxes", boxes(Form.XYXY, 0, 0, 9, 6, 3, 4, 9, 9))
                .put("ids", ids(labels));
        assertThatThrownBy(() -> TransformFixture.create("RandomHorizontalFlip", Map.of("p", 1L))
                        .apply(sample, new SampleRandom(1, 1).reset(0, 0)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining(
                        "expected one row of 'ids' for each of the 2 boxes in 'boxes', found INT64[" + labels + "]");
    }

    @Test
    void mirroredPaddingIsRefusedBesideBoxes() {
        assertThatThrownBy(() -> TransformFixture.create("Pad", Map.of("padding", 2L, "padding_mode", "reflect"))
                        .apply(rectangle(0, 0, 6, 9), new SampleRandom(1, 1).reset(0, 0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set padding_mode: constant");
    }
}
