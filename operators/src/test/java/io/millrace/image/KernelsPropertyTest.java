package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Field;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
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
            @ForAll @IntRange(min = 1, max = 3) int channels) {
        Field image = ImageVectors.pixels(width, "noise", height, width, channels);
        byte[] expected = image.data().clone();
        ScalarKernels.INSTANCE.mirrorColumns(expected, height, width, channels);
        for (Kernels kernels : KERNELS) {
            byte[] mirrored = image.data().clone();
            kernels.mirrorColumns(mirrored, height, width, channels);
            assertThat(mirrored).as(kernels.description()).isEqualTo(expected);
        }
    }
}
