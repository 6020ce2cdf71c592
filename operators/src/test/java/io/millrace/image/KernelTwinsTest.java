package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The kernels with the Vector API do what those in plain Java do, to the last bit. */
class KernelTwinsTest {
    private static final Kernels SCALAR = ScalarKernels.INSTANCE;
    private static final Kernels VECTOR = new VectorKernels();

    private final Resampler[] scalar = {
        new Resampler(Interpolation.BILINEAR, SCALAR), new Resampler(Interpolation.BICUBIC, SCALAR)
    };
    private final Resampler[] vector = {
        new Resampler(Interpolation.BILINEAR, VECTOR), new Resampler(Interpolation.BICUBIC, VECTOR)
    };

    @Test
    void resizedPixelsAreThoseOfPillow() {
        List<Row> different = new ArrayList<>();
        for (Row row : ImageVectors.table("resize.csv")) {
            Interpolation filter = Interpolation.valueOf(row.text("filter").toUpperCase(Locale.ROOT));
            if (filter == Interpolation.NEAREST) {
                continue;
            }
            Field image = ImageVectors.pixels(
                    row.number("seed"),
                    row.text("kind"),
                    row.number("height"),
                    row.number("width"),
                    row.number("channels"));
            Field resized = vector[filter == Interpolation.BILINEAR ? 0 : 1].resize(
                    image, row.number("out_height"), row.number("out_width"));
            if (!ImageVectors.sha256(resized).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(different).isEmpty();
    }

    @Property(tries = 300)
    void cropsOfAnySizeAreResizedAlike(
            @ForAll @IntRange(max = 1) int filter,
            @ForAll @IntRange(min = 1, max = 130) int height,
            @ForAll @IntRange(min = 1, max = 300) int width,
            @ForAll @IntRange(min = 1, max = 130) int toHeight,
            @ForAll @IntRange(min = 1, max = 130) int toWidth,
            @ForAll @IntRange(max = 40) int around,
            @ForAll boolean color,
            @ForAll boolean extremes) {
        Field image = ImageVectors.pixels(
                height * width, extremes ? "extremes" : "noise", height + around, width + around, color ? 3 : 1);
        Crop crop = new Crop(around, around / 2, height, width);
        assertThat(vector[filter].resize(image, crop, toHeight, toWidth).data())
                .isEqualTo(scalar[filter].resize(image, crop, toHeight, toWidth).data());
    }

    @Property(tries = 300)
    void columnsAreMirroredAlike(
            @ForAll @IntRange(min = 1, max = 5) int height,
            @ForAll @IntRange(min = 1, max = 200) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels) {
        byte[] expected =
                ImageVectors.pixels(width, "noise", height, width, channels).data();
        byte[] mirrored = expected.clone();
        SCALAR.mirrorColumns(expected, height, width, channels);
        VECTOR.mirrorColumns(mirrored, height, width, channels);
        assertThat(mirrored).isEqualTo(expected);
    }
}
