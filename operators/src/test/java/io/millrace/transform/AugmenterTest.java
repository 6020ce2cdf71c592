package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.Fill;
import io.millrace.image.ImageDecoder;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.Interpolation;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AugmenterTest {
    private final Augmenter augmenter = augmenter(Interpolation.NEAREST);

    static List<Row> operations() {
        return ImageVectors.tableAt("/vectors/transform/colour/augmentations.csv");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void everyMagnitudeGivesThePixelsOfTorchvision(Row row) throws Exception {
        Augmentation operation = AugmentationSpaceTest.named(row.text("operation"));
        AugmentationSpace space = row.text("transform").equals("TrivialAugmentWide")
                ? AugmentationSpace.WIDE
                : AugmentationSpace.STANDARD;
        Augmenter tried =
                augmenter(Interpolation.valueOf(row.text("interpolation").toUpperCase(Locale.ROOT)));
        List<String> expected = List.of(row.text("digests").split(" ", -1));
        List<String> found = new ArrayList<>();
        for (int bin = 0; bin < expected.size(); bin++) {
            Sample sample = new Sample(0, "photo", 0).put(Sample.IMAGE, photo());
            double magnitude = space.magnitude(operation, bin, row.number("bins"), tried.begin(sample));
            tried.apply(sample, operation, row.number("sign") * magnitude);
            found.add(ImageVectors.sha256(sample.image()).substring(0, 8));
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void masksMoveWithTheirImagesByNearestPixelsAndKeepTheirValues() throws Exception {
        Sample sample = new Sample(0, "a", 0)
                .put("image", TransformFixture.noise(20, 30, 1))
                .put("mask", TransformFixture.noise(20, 30, 1).as(FieldKind.MASK));
        augmenter.begin(sample);
        augmenter.apply(sample, Augmentation.TRANSLATE_X, 7.9);
        assertThat(sample.field("mask").data()).isEqualTo(sample.image().data());
        augmenter.apply(sample, Augmentation.INVERT, 0);
        augmenter.apply(sample, Augmentation.ROTATE, -20);
        augmenter.apply(sample, Augmentation.SHEAR_Y, 0.3);
        assertThat(augmenter.drawn()).isEqualTo("TranslateX 7.900, Invert, Rotate -20.000, ShearY 0.300");
        int inverted = 0;
        for (int i = 0; i < 600; i++) {
            int value = sample.image().data()[i] & 0xff;
            int mask = sample.field("mask").data()[i] & 0xff;
            // Pixels from outside of the rotated image are 0 in the image and in the mask.
            assertThat(value == 255 - mask || (value == 0 && mask == 0)).isTrue();
            inverted += value == 255 - mask ? 1 : 0;
        }
        assertThat(inverted).isGreaterThan(300);
    }

    @Test
    void newSampleHasNoAppliedOperations() throws Exception {
        Sample sample = new Sample(0, "a", 0).put(Sample.IMAGE, TransformFixture.noise(5, 6, 3));
        augmenter.begin(sample);
        augmenter.apply(sample, Augmentation.EQUALIZE, 0);
        assertThat(augmenter.drawn()).isEqualTo("Equalize");
        augmenter.begin(sample);
        assertThat(augmenter.drawn()).isEqualTo("as is");
    }

    private static Augmenter augmenter(Interpolation interpolation) {
        return new Augmenter("RandAugment", new Paint(interpolation, Fill.BLACK, Fill.BLACK));
    }

    private static Field photo() throws Exception {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            return decoder.decode(ImageVectors.file("decode/rgb.png"));
        }
    }
}
