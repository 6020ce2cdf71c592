package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.sample.Field;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that compare colour changes with torchvision's pixels. */
class ColorPixelsTest {
    private static final String FOLDER = "/vectors/transform/colour/";

    // One instance for all images, so that tables and rows left from another image would cause failures.
    private final ColorOps color = new ColorOps();
    private final LevelOps levels = new LevelOps();
    private final SharpnessOps sharpening = new SharpnessOps();

    static List<Row> cubes() {
        return ImageVectors.tableAt(FOLDER + "cube.csv");
    }

    @Test
    void pixelsAreThoseOfTorchvision() throws Exception {
        List<Row> rows = ImageVectors.tableAt(FOLDER + "pixels.csv");
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            Field changed = change(source(row), row.text("operation"), row.text("value"));
            if (!ImageVectors.sha256(changed).startsWith(row.text("digest"))) {
                different.add(row);
            }
        }
        assertThat(rows).hasSizeGreaterThan(700);
        assertThat(different).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("cubes")
    void everyColourIsChangedAsByTorchvision(Row row) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int red = 0; red < 256; red++) {
            byte[] pixels = new byte[256 * 256 * 3];
            for (int pixel = 0; pixel < 256 * 256; pixel++) {
                pixels[3 * pixel] = (byte) red;
                pixels[3 * pixel + 1] = (byte) (pixel >> 8);
                pixels[3 * pixel + 2] = (byte) pixel;
            }
            digest.update(change(Field.image(256, 256, 3, pixels), row.text("operation"), row.text("value"))
                    .data());
        }
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(row.text("sha256"));
    }

    /** Returns the original image of a row: generated, or from a file. */
    static Field source(Row row) throws Exception {
        String kind = row.text("kind");
        if (kind.contains(".")) {
            try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
                return decoder.decode(ImageVectors.file("decode/" + kind));
            }
        }
        return ImageVectors.pixels(
                row.number("seed"), kind, row.number("height"), row.number("width"), row.number("channels"));
    }

    private Field change(Field image, String operation, String value) {
        switch (operation) {
            case "brightness" -> color.brightness(image, Double.parseDouble(value));
            case "contrast" -> color.contrast(image, Double.parseDouble(value));
            case "saturation" -> color.saturation(image, Double.parseDouble(value));
            case "hue" -> color.hue(image, Double.parseDouble(value));
            case "grayscale" -> {
                return color.grayscale(image, Integer.parseInt(value), new byte[0]);
            }
            case "invert" -> PointOps.invert(image);
            case "posterize" -> PointOps.posterize(image, Integer.parseInt(value));
            case "solarize" -> PointOps.solarize(image, Double.parseDouble(value));
            case "sharpness" -> sharpening.sharpness(image, Double.parseDouble(value));
            case "autocontrast" -> levels.autocontrast(image);
            case "equalize" -> levels.equalize(image);
            default -> throw new AssertionError(operation);
        }
        return image;
    }
}
