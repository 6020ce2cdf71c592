package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WarpTest {
    private static final byte[] NO_SPARE = {};

    /** One instance for all images, so that scratch memory of other sizes would cause failures. */
    private final Warp warp = new Warp();

    private static List<Row> table(String name) {
        return ImageVectors.tableAt("/vectors/transform/geometry/" + name);
    }

    private static Field source(Row row) {
        return ImageVectors.pixels(
                row.number("seed"),
                row.text("kind"),
                row.number("height"),
                row.number("width"),
                row.number("channels"));
    }

    private static Interpolation interpolation(Row row) {
        return Interpolation.valueOf(row.text("interpolation").toUpperCase(Locale.ROOT));
    }

    private static Fill fill(Row row) {
        return Fill.of(Arrays.stream(row.reals("fill")).mapToObj(v -> (int) v).toList());
    }

    private static Optional<Point> center(Row row) {
        double[] center = row.reals("center");
        return center.length == 0 ? Optional.empty() : Optional.of(new Point(center[0], center[1]));
    }

    @Test
    void rotationsAreThoseOfPillow() {
        List<Row> rows = table("rotate.csv");
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            Rotation rotation = new Rotation(
                    row.real("angle"),
                    center(row),
                    row.number("expand") == 1 ? Rotation.Canvas.EXPANDED : Rotation.Canvas.SAME);
            Field turned = warp.rotate(source(row), rotation, interpolation(row), fill(row), NO_SPARE);
            if (turned.height() != row.number("out_height")
                    || turned.width() != row.number("out_width")
                    || !ImageVectors.sha256(turned).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(rows).hasSizeGreaterThan(200);
        assertThat(different).isEmpty();
    }

    @Test
    void affineChangesAreThoseOfTorchvisionOnPillow() {
        List<Row> rows = table("affine.csv");
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            double[] shear = row.reals("shear");
            double[] translate = row.reals("translate");
            AffineParameters parameters = new AffineParameters(
                    row.real("angle"), (int) translate[0], (int) translate[1], row.real("scale"), shear[0], shear[1]);
            Field source = source(row);
            AffineMap map = parameters.about(center(row).orElse(Point.center(source.height(), source.width())));
            Field changed = warp.affine(source, map, interpolation(row), fill(row), NO_SPARE);
            if (!ImageVectors.sha256(changed).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(rows).hasSizeGreaterThan(200);
        assertThat(different).isEmpty();
    }

    @Test
    void perspectivesWithTorchvisionsNumbersAreThoseOfPillow() {
        List<Row> rows = table("perspective.csv");
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            Field changed = warp.perspective(source(row), theirs(row), interpolation(row), fill(row), NO_SPARE);
            if (!ImageVectors.sha256(changed).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(rows).hasSizeGreaterThan(100);
        assertThat(different).isEmpty();
    }

    /**
     * The rounding errors of numbers that should be 0 differ from the rounding errors of torchvision's least squares.
     * Therefore a value at the border between two levels may be truncated to the lower level.
     */
    @Test
    void numbersFromCornersAreThoseOfTorchvisionExceptForRoundingErrorsOfZeros() {
        int equal = 0;
        List<Row> rows = table("perspective.csv");
        for (Row row : rows) {
            Field source = source(row);
            PerspectiveMap ours = ours(row);
            PerspectiveMap theirs = theirs(row);
            double[] found = numbers(ours);
            double[] expected = numbers(theirs);
            for (int i = 0; i < found.length; i++) {
                assertThat(found[i]).isCloseTo(expected[i], within(1e-7 * Math.abs(expected[i]) + 1e-12));
            }
            byte[] a = warp.perspective(source, ours, interpolation(row), fill(row), NO_SPARE)
                    .data();
            byte[] b = warp.perspective(source, theirs, interpolation(row), fill(row), NO_SPARE)
                    .data();
            equal += Arrays.equals(a, b) ? 1 : 0;
            for (int i = 0; i < a.length; i++) {
                assertThat(Math.abs((a[i] & 255) - (b[i] & 255))).as("%s", row).isLessThanOrEqualTo(1);
            }
        }
        assertThat(equal).isGreaterThan(rows.size() * 9 / 10);
    }

    private static double[] numbers(PerspectiveMap map) {
        return new double[] {map.a(), map.b(), map.c(), map.d(), map.e(), map.f(), map.g(), map.h()};
    }

    private static PerspectiveMap theirs(Row row) {
        double[] n = row.reals("coefficients");
        return new PerspectiveMap(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
    }

    private static PerspectiveMap ours(Row row) {
        List<Point> result = new ArrayList<>();
        double[] corners = row.reals("corners");
        for (int i = 0; i < corners.length; i += 2) {
            result.add(new Point(corners[i], corners[i + 1]));
        }
        List<Point> image = PerspectiveMap.corners(row.number("height"), row.number("width"));
        return PerspectiveMap.between(image, result).orElseThrow();
    }

    @Test
    void cornersOnOneLineHaveNoPerspective() {
        List<Point> line = List.of(new Point(0, 0), new Point(1, 1), new Point(2, 2), new Point(0, 5));
        assertThat(PerspectiveMap.between(PerspectiveMap.corners(9, 9), line)).isEmpty();
    }

    @Test
    void mapToNaNGivesTheFill() {
        // 0 / 0 in every pixel of the first column: x = 0.5 makes the depth 0, and the numerators are 0.
        PerspectiveMap nowhere = new PerspectiveMap(0, 0, 0, 0, 0, 0, -2, 0);
        Field image = ImageVectors.pixels(1, "noise", 4, 4, 3);
        for (Interpolation interpolation :
                List.of(Interpolation.NEAREST, Interpolation.BILINEAR, Interpolation.BICUBIC)) {
            Field changed = warp.perspective(image, nowhere, interpolation, Fill.of(List.of(1, 2, 3)), NO_SPARE);
            assertThat(Arrays.copyOf(changed.data(), 3)).containsExactly(1, 2, 3);
        }
    }

    @Test
    void arrayOfTheRightLengthIsUsedAndTheImageStaysUnchanged() {
        Field image = ImageVectors.pixels(1, "noise", 12, 9, 3);
        byte[] before = image.data().clone();
        for (double angle : new double[] {0, 180, 33}) {
            byte[] spare = new byte[before.length];
            Field turned = warp.rotate(image, Rotation.by(angle), Interpolation.BILINEAR, Fill.BLACK, spare);
            assertThat(turned.data()).isSameAs(spare);
            assertThat(image.data()).isEqualTo(before);
            assertThat(warp.rotate(image, Rotation.by(angle), Interpolation.BILINEAR, Fill.BLACK, image.data())
                            .data())
                    .isNotSameAs(image.data());
        }
    }

    @Test
    void fillOfThreeColoursIsRefusedForAGrayImage() {
        Field gray = ImageVectors.pixels(1, "noise", 4, 4, 1);
        assertThatThrownBy(() ->
                        warp.rotate(gray, Rotation.by(10), Interpolation.NEAREST, Fill.of(List.of(1, 2, 3)), NO_SPARE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fill [1, 2, 3] does not fit UINT8[4, 4, 1]");
    }
}
