package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests with unusual and damaged images, which {@code odd_image_vectors.py} made: the pixels are those of Pillow, or the
 * image is refused with the reason.
 */
class OddImagesTest {
    static List<Kernels> kernels() {
        return KernelChoice.available();
    }

    private static List<Row> rows() {
        return ImageVectors.table("odd/odd.csv");
    }

    private static byte[] file(Row row) {
        return ImageVectors.file("odd/" + row.text("file"));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void pixelsAreThoseOfPillow(Kernels kernels) throws Exception {
        List<String> wrong = new ArrayList<>();
        for (ImageIntegrity integrity : ImageIntegrity.values()) {
            if (integrity == ImageIntegrity.ENTROPY && !kernels.findDamage()) {
                continue;
            }
            for (Row row : rows()) {
                if (!row.text("sha256").isEmpty() && !isDecodedLikePillow(kernels, integrity, row)) {
                    wrong.add(row.text("file") + " with " + integrity);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Decodes a file, and a crop of it, each with a decoder that has decoded nothing before. */
    private static boolean isDecodedLikePillow(Kernels kernels, ImageIntegrity integrity, Row row) {
        try (ImageDecoder one = new ImageDecoder(DecodeLimits.DEFAULT, integrity, kernels);
                ImageDecoder other = new ImageDecoder(DecodeLimits.DEFAULT, integrity, kernels)) {
            Field whole = one.decode(file(row));
            CheckedImage image = other.check(file(row));
            Crop corner = new Crop(image.height() / 2, image.width() / 3, 1, image.width() / 2 + 1);
            return whole.height() == row.number("height")
                    && whole.width() == row.number("width")
                    && ImageVectors.sha256(whole).equals(row.text("sha256"))
                    && ImageVectors.sha256(PixelOps.crop(whole, corner, 0))
                            .equals(ImageVectors.sha256(other.decode(image, corner, new byte[0])));
        } catch (MalformedImageException e) {
            throw new AssertionError(row.text("file"), e);
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void damageIsRefusedWithItsReason(Kernels kernels) {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            for (Row row : rows()) {
                if (row.text("sha256").isEmpty()) {
                    assertThatThrownBy(() -> decoder.decode(file(row)), row.text("file"))
                            .isInstanceOf(MalformedImageException.class)
                            .hasMessageContaining(row.text("reason"));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("masks")
    void classNumbersAreThoseOfPillow(Row row) throws Exception {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            assertThat(ImageVectors.sha256(MaskDecoder.decode(decoder.check(file(row)))))
                    .isEqualTo(row.text("mask"));
        }
    }

    static List<Row> masks() {
        return rows().stream().filter(row -> !row.text("mask").isEmpty()).toList();
    }
}
