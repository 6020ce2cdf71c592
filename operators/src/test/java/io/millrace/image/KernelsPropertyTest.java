package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** Tests that compare all kernels that run on this machine with plain Java, for any sizes. */
class KernelsPropertyTest {
    private static final List<Kernels> KERNELS = KernelChoice.available();

    private static final List<Interpolation> FILTERS = List.of(
            Interpolation.BILINEAR,
            Interpolation.BICUBIC,
            Interpolation.BOX,
            Interpolation.HAMMING,
            Interpolation.LANCZOS);

    @Property(tries = 300)
    void resizedCropsAreTheSameOnAllKernels(
            @ForAll @IntRange(min = 1, max = 90) int height,
            @ForAll @IntRange(min = 1, max = 90) int width,
            @ForAll boolean colour,
            @ForAll @IntRange(max = 4) int filter,
            @ForAll @IntRange(min = 1, max = 120) int outHeight,
            @ForAll @IntRange(min = 1, max = 120) int outWidth,
            @ForAll @IntRange(max = 1000) int place) {
        Field image = ImageVectors.pixels(place, "extremes", height, width, colour ? 3 : 1);
        int top = place % height;
        int left = place / 7 % width;
        Crop crop = new Crop(top, left, 1 + place / 3 % (height - top), 1 + place / 5 % (width - left));
        Interpolation interpolation = FILTERS.get(filter);
        byte[] expected = new Resampler(interpolation, ScalarKernels.INSTANCE)
                .resize(image, crop, outHeight, outWidth)
                .data();
        for (Kernels kernels : KERNELS) {
            assertThat(new Resampler(interpolation, kernels)
                            .resize(image, crop, outHeight, outWidth)
                            .data())
                    .as(kernels.description())
                    .isEqualTo(expected);
        }
    }

    @Property(tries = 300)
    void mirroringResizeHasThePixelsOfAResizeAndAFlip(
            @ForAll @IntRange(min = 1, max = 90) int height,
            @ForAll @IntRange(min = 1, max = 90) int width,
            @ForAll boolean colour,
            @ForAll Interpolation interpolation,
            @ForAll @IntRange(min = 1, max = 120) int outHeight,
            @ForAll @IntRange(min = 1, max = 120) int outWidth) {
        assertMirrored(
                ImageVectors.pixels(outWidth, "noise", height, width, colour ? 3 : 1),
                interpolation,
                outHeight,
                outWidth);
    }

    @Example
    void mirroringResizeThatCopiesOrShrinksDownFirstHasThePixelsOfAResizeAndAFlip() {
        Field image = ImageVectors.pixels(1, "noise", 303, 3, 3);
        for (Interpolation interpolation : Interpolation.values()) {
            assertMirrored(image, interpolation, 303, 3);
            assertMirrored(image, interpolation, 20, 7);
        }
    }

    private static void assertMirrored(Field image, Interpolation interpolation, int height, int width) {
        Crop whole = Crop.whole(image.height(), image.width());
        for (Kernels kernels : KERNELS) {
            Resampler resampler = new Resampler(interpolation, kernels);
            byte[] expected = resampler.resize(image, height, width).data();
            ScalarKernels.INSTANCE.mirrorColumns(expected, height, width, image.channels());
            Resampler.Result mirrored = new Resampler.Result(height, width, ColumnOrder.MIRRORED);
            assertThat(resampler.resize(image, whole, mirrored, new byte[0]).data())
                    .as("%s, %s", kernels.description(), interpolation)
                    .isEqualTo(expected);
        }
    }

    @Property(tries = 200)
    void mirroredColumnsAreTheSameOnAllKernels(
            @ForAll @IntRange(min = 1, max = 20) int height,
            @ForAll @IntRange(min = 1, max = 200) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels) {
        Field image = ImageVectors.pixels(width, "noise", height, width, channels);
        byte[] expected = image.data().clone();
        ScalarKernels.INSTANCE.mirrorColumns(expected, height, width, channels);
        for (Kernels kernels : KERNELS) {
            byte[] mirrored = image.data().clone();
            kernels.mirrorColumns(mirrored, height, width, channels);
            assertThat(mirrored).as(kernels.description()).isEqualTo(expected);
        }
    }

    @Property(tries = 300)
    void coloursAreChangedAlikeByAllKernels(
            @ForAll @IntRange(min = 0, max = 1500) int pixels,
            @ForAll @IntRange(max = 3) int kind,
            @ForAll @DoubleRange(max = 4) double factor,
            @ForAll @DoubleRange(max = 255) double other,
            @ForAll @DoubleRange(min = -0.5, max = 0.5) double turn) {
        byte[] source = pixels == 0
                ? new byte[0]
                : ImageVectors.pixels(pixels, kind == 1 ? "extremes" : "noise", 1, pixels, 3)
                        .data();
        for (int i = 0; kind > 1 && i < source.length; i++) {
            // The sources have few different values, so some pixels are gray or have a pair of equal channels.
            source[i] = (byte) ((source[i] >> 6) + (kind == 2 ? 1 : 128));
        }
        float ratio = (float) factor;
        float rest = (float) (1 - factor);
        assertColours(source, (float) other, ratio, rest, (float) turn);
    }

    /** Results far outside of 0 to 255, infinite ones, and what is no number: the product of 0 and infinity. */
    @Example
    void extremeNumbersChangeColoursAlikeOnAllKernels() {
        byte[] source = ImageVectors.pixels(5, "noise", 1, 301, 3).data();
        System.arraycopy(new byte[90], 0, source, 0, 90);
        for (double factor : new double[] {0, 1, 1e-10, 2, 40_000, 1e10, 1e37, 3e38, 1e300}) {
            for (float other : new float[] {0, 1, 127.5f, 255}) {
                assertColours(source, other, (float) factor, (float) (1 - factor), 0.5f);
                assertColours(source, other, (float) factor, (float) (1 - factor), -0.5f);
                assertColours(source, other, (float) factor, (float) (1 - factor), -0f);
            }
        }
    }

    /** An image of more bytes than the native code changes at once, and a rest. */
    @Example
    void coloursOfLargeImagesAreChangedAlikeByAllKernels() {
        assertColours(ImageVectors.pixels(7, "noise", 307, 331, 3).data(), 100, 1.7f, -0.7f, 0.3f);
    }

    @Example
    void hueOfEveryColourIsTurnedAlikeByAllKernels() {
        byte[] colours = new byte[3 << 16];
        for (int red = 0; red < 256; red++) {
            for (int i = 0; i < 1 << 16; i++) {
                colours[3 * i] = (byte) red;
                colours[3 * i + 1] = (byte) (i >> 8);
                colours[3 * i + 2] = (byte) i;
            }
            float turn = (red - 128) / 256f;
            assertChanged(colours, (kernel, changed) -> kernel.turnHue(changed, turn));
            assertChanged(colours, ColorKernel::grayscale);
        }
    }

    private static void assertColours(byte[] source, float other, float ratio, float rest, float turn) {
        assertChanged(source, (kernel, changed) -> kernel.blend(changed, other, ratio, rest));
        assertChanged(source, (kernel, changed) -> kernel.saturate(changed, ratio, rest));
        assertChanged(source, (kernel, changed) -> kernel.turnHue(changed, turn));
        assertChanged(source, ColorKernel::grayscale);
        assertChanged(source, (kernel, changed) -> {
            byte[] gray = new byte[changed.length / 3];
            kernel.gray(changed, gray);
            System.arraycopy(gray, 0, changed, 0, gray.length);
        });
        long sum = ScalarKernels.INSTANCE.color().graySum(source);
        for (Kernels kernels : KERNELS) {
            assertThat(kernels.color().graySum(source))
                    .as(kernels.description())
                    .isEqualTo(sum);
        }
        if (source.length > 0) {
            // Values of one channel, of any number.
            byte[] values = Arrays.copyOf(source, source.length - 1);
            assertChanged(values, (kernel, changed) -> kernel.blend(changed, other, ratio, rest));
        }
    }

    private static void assertChanged(byte[] source, BiConsumer<ColorKernel, byte[]> change) {
        byte[] expected = source.clone();
        change.accept(ScalarKernels.INSTANCE.color(), expected);
        for (Kernels kernels : KERNELS) {
            byte[] changed = source.clone();
            change.accept(kernels.color(), changed);
            assertThat(changed).as(kernels.description()).isEqualTo(expected);
        }
    }
}
