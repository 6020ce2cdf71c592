package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that compare the kernels with the Vector API with the kernels in plain Java, to the last bit. */
@Tag("optimized")
@net.jqwik.api.Tag("optimized")
class KernelTwinsTest {
    private static final Kernels SCALAR = ScalarKernels.INSTANCE;
    private static final Kernels VECTOR = new VectorKernels();

    private final Resampler[] scalar = {
        new Resampler(Interpolation.BILINEAR, SCALAR), new Resampler(Interpolation.BICUBIC, SCALAR)
    };
    private final Resampler[] vector = {
        new Resampler(Interpolation.BILINEAR, VECTOR), new Resampler(Interpolation.BICUBIC, VECTOR)
    };

    private final ColorKernel scalarColor = SCALAR.color();
    private final ColorKernel vectorColor = VECTOR.color();

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

    @Property(tries = 300)
    void coloursAreChangedAlike(
            @ForAll @IntRange(min = 1, max = 1500) int pixels,
            @ForAll @IntRange(max = 3) int kind,
            @ForAll @DoubleRange(max = 4) double factor,
            @ForAll @DoubleRange(max = 255) double other,
            @ForAll @DoubleRange(min = -0.5, max = 0.5) double turn) {
        byte[] source = ImageVectors.pixels(pixels, kind == 1 ? "extremes" : "noise", 1, pixels, 3)
                .data();
        for (int i = 0; kind > 1 && i < source.length; i++) {
            // The sources have few different values, so some pixels are gray or have a pair of equal channels.
            source[i] = (byte) ((source[i] >> 6) + (kind == 2 ? 1 : 128));
        }
        float ratio = (float) (kind == 0 && factor > 3.9 ? factor * 10_000 : factor);
        float rest = (float) (1 - factor);
        changedAlike(source, (kernel, changed) -> kernel.blend(changed, (float) other, ratio, rest));
        changedAlike(source, (kernel, changed) -> kernel.saturate(changed, ratio, rest));
        changedAlike(source, (kernel, changed) -> kernel.turnHue(changed, (float) turn));
        changedAlike(source, ColorKernel::grayscale);
        changedAlike(source, (kernel, changed) -> {
            byte[] gray = new byte[pixels];
            kernel.gray(changed, gray);
            System.arraycopy(gray, 0, changed, 0, pixels);
        });
        assertThat(vectorColor.graySum(source)).isEqualTo(scalarColor.graySum(source));
    }

    @Test
    void hueOfEveryColourIsTurnedAlike() {
        byte[] colours = new byte[3 << 16];
        for (int red = 0; red < 256; red++) {
            for (int i = 0; i < 1 << 16; i++) {
                colours[3 * i] = (byte) red;
                colours[3 * i + 1] = (byte) (i >> 8);
                colours[3 * i + 2] = (byte) i;
            }
            float turn = (red - 128) / 256f;
            changedAlike(colours, (kernel, changed) -> kernel.turnHue(changed, turn));
        }
    }

    private void changedAlike(byte[] source, BiConsumer<ColorKernel, byte[]> change) {
        byte[] expected = source.clone();
        byte[] changed = source.clone();
        change.accept(scalarColor, expected);
        change.accept(vectorColor, changed);
        assertThat(changed).isEqualTo(expected);
    }
}
