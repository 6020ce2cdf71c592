package io.millrace.dataset.coco;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with the masks of pycocotools, see src/test/python/coco_vectors.py. */
class OutlineTest {
    static List<Row> outlines() {
        return ImageVectors.tableAt("/vectors/dataset/coco/outlines.csv");
    }

    private static String drawn(Outline outline, int height, int width) throws Exception {
        byte[] mask = new byte[height * width + 2];
        outline.draw(mask, 1, height, width);
        assertThat(mask[0] + mask[mask.length - 1]).as("pixels of other masks").isZero();
        byte[] own = Arrays.copyOfRange(mask, 1, mask.length - 1);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(own));
    }

    @ParameterizedTest
    @MethodSource("outlines")
    void polygonsAndRunsHaveThePixelsOfPycocotools(Row row) throws Exception {
        int height = row.number("height");
        int width = row.number("width");
        int[] polygon =
                Arrays.stream(row.reals("polygon")).mapToInt(Outline::fine).toArray();
        Outline ofPolygon = new Outline(new int[][] {polygon}, new int[0], 0, 0);
        assertThat(drawn(ofPolygon, height, width)).isEqualTo(row.text("sha256"));

        int[] runs = Objects.requireNonNull(Outline.unpacked(row.text("counts")));
        Outline ofRuns = new Outline(new int[0][], runs, height, width);
        assertThat(ofRuns.problem(height, width)).isEmpty();
        assertThat(drawn(ofRuns, height, width)).isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "0o", "P", "\u00e9", "oooooooooo0", "O"})
    void otherTextIsNoListOfRuns(String text) {
        assertThat(Outline.unpacked(text)).isNull();
    }

    @Test
    void runsThatDoNotFillThePictureAreRefused() {
        Outline outline = new Outline(new int[0][], new int[] {5, 7}, 3, 4);
        assertThat(outline.problem(3, 4)).isEmpty();
        assertThat(outline.problem(4, 3)).isEqualTo("expected runs of the size of the picture, [4, 3], found [3, 4]");
        assertThat(new Outline(new int[0][], new int[] {5, 8}, 3, 4).problem(3, 4))
                .isEqualTo("expected runs of 12 pixels together, found 13");
        assertThat(new Outline(new int[0][], new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE, 14}, 3, 4).problem(3, 4))
                .isEqualTo("expected runs of 12 pixels together, found 4294967308");
    }

    @Test
    void polygonsThatCannotBeDrawnAreRefused() {
        assertThat(Outline.polygonProblem(new double[] {1, 2, 3, 4, 5, 6})).isEmpty();
        assertThat(Outline.polygonProblem(new double[] {1, 2, 3, 4}))
                .isEqualTo("expected polygons of at least three points x, y as segmentation, found 4 numbers");
        assertThat(Outline.polygonProblem(new double[7])).contains("found 7 numbers");
        assertThat(Outline.polygonProblem(new double[] {1, 2, 3, 4, 5, 1e9}))
                .isEqualTo("expected coordinates of at most 1048576 pixels as segmentation, found 1.0E9");
        assertThat(Outline.polygonProblem(new double[] {1, 2, 3, 4, 5, Double.NaN}))
                .contains("found NaN");
    }
}
