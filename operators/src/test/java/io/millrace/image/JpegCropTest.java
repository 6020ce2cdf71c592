package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that compare rectangles that are decoded alone with the same rectangles of the whole image, which OpenCV
 * decodes.
 */
class JpegCropTest {
    private static final int CROPS = 40;

    static Stream<Arguments> kernelsAndFiles() {
        return KernelChoice.available().stream()
                .flatMap(kernels -> files().stream().map(file -> Arguments.of(kernels, file)));
    }

    private static List<String> files() {
        return ImageVectors.table("decode.csv").stream()
                .map(row -> row.text("file"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("kernelsAndFiles")
    void rectangleHasThePixelsOfTheWhole(Kernels kernels, String file) throws Exception {
        byte[] encoded = ImageVectors.file("decode/" + file);
        Random random = new Random(1);
        try (ImageDecoder plain =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
                ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            Field whole = plain.decode(encoded);
            CheckedImage image = decoder.check(encoded);
            List<Crop> different = new ArrayList<>();
            for (int i = 0; i < CROPS; i++) {
                Crop crop = crop(random, whole.height(), whole.width());
                Field decoded = decoder.decode(image, crop, new byte[0]);
                if (!Arrays.equals(decoded.data(), PixelOps.crop(whole, crop, 0).data())) {
                    different.add(crop);
                }
            }
            assertThat(different).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("kernelsAndFiles")
    void reducedRectangleIsTheSameForAllKernels(Kernels kernels, String file) throws Exception {
        byte[] encoded = ImageVectors.file("decode/" + file);
        Random random = new Random(3);
        try (ImageDecoder plain =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
                ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            CheckedImage image = decoder.check(encoded);
            for (int reduction = 2; image.reducible() && reduction <= 8; reduction *= 2) {
                int height = (image.height() + reduction - 1) / reduction;
                int width = (image.width() + reduction - 1) / reduction;
                Field whole = plain.decodeReduced(image, reduction, Crop.whole(height, width), new byte[0]);
                for (int i = 0; i < CROPS; i++) {
                    Crop crop = crop(random, height, width);
                    assertThat(decoder.decodeReduced(image, reduction, crop, new byte[0])
                                    .data())
                            .as("crop %s at 1/%d", crop, reduction)
                            .isEqualTo(PixelOps.crop(whole, crop, 0).data());
                }
            }
        }
    }

    /** Also decodes truncated files: what fails in one step must fail, or be decoded to the same pixels, in two. */
    @ParameterizedTest
    @MethodSource("kernelsAndFiles")
    void oneStepHasThePixelsOfDecodingAndThenResizing(Kernels kernels, String file) throws Exception {
        byte[] encoded = ImageVectors.file("decode/" + file);
        Random random = new Random(11);
        int resizedFiles = 0;
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            CheckedImage image = decoder.check(encoded);
            byte[] truncated = Arrays.copyOf(encoded, encoded.length - random.nextInt(encoded.length / 2));
            CheckedImage damaged = new CheckedImage(truncated, image.header(), image.partly());
            for (Interpolation interpolation : Interpolation.values()) {
                Resampler resampler = new Resampler(interpolation, kernels);
                for (int i = 0; i < CROPS / 4; i++) {
                    Crop crop = crop(random, image.height(), image.width());
                    int height = 1 + random.nextInt(60);
                    int width = 1 + random.nextInt(60);
                    ColumnOrder columns = i % 2 == 0 ? ColumnOrder.AS_STORED : ColumnOrder.MIRRORED;
                    Resampler.Result result = new Resampler.Result(height, width, columns);
                    resizedFiles += assertSameInOneStep(decoder, image, crop, resampler, result);
                    assertSameInOneStep(decoder, damaged, crop, resampler, result);
                }
            }
            boolean expected = kernels.jpegs(EntryPoints.OFF) != null
                    && List.of("rgb420.jpg", "gray.jpg", "restarts.jpg").contains(file);
            assertThat(resizedFiles > 0 || !expected).as("one step is used").isTrue();
        }
    }

    /** Returns 1 if the decoder resized, and 0 if it needs two steps. */
    private static int assertSameInOneStep(
            ImageDecoder decoder, CheckedImage image, Crop crop, Resampler resampler, Resampler.Result result)
            throws Exception {
        ImageDecoder.Resized resized = decoder.decodeResized(image, crop, resampler, result, new byte[0], null);
        if (resized == null) {
            return 0;
        }
        Field part = decoder.decode(image, crop, new byte[0]);
        Field expected =
                resampler.resize(part, Crop.whole(crop.height(), crop.width()), result.height(), result.width());
        if (result.columns() == ColumnOrder.MIRRORED) {
            PixelOps.mirrorColumns(expected);
        }
        assertThat(resized.picture().shape()).isEqualTo(expected.shape());
        assertThat(Arrays.equals(resized.picture().data(), expected.data()))
                .as("%s to %s", crop, result)
                .isTrue();
        assertThat(resized.resizeNanos()).isNotNegative();
        return 1;
    }

    @Test
    void usualJpegsAreDecodedByTheNativeKernels() throws Exception {
        for (Kernels kernels : KernelChoice.available()) {
            JpegKernel jpegs = kernels.jpegs(EntryPoints.OFF);
            boolean expected = kernels.name().equals("native")
                    && (kernels.description().contains("AVX2") || NativeCode.hasLibjpeg());
            for (String file : List.of("rgb420.jpg", "gray.jpg", "restarts.jpg")) {
                assertThat(jpegs != null && decodes(jpegs, file))
                        .as("%s, %s", kernels, file)
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rgb420.jpg", "gray.jpg", "restarts.jpg", "noise.jpg"})
    void baselineJpegsAreDecodedByTheDecoderOfMillrace(String file) throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeCode.hasAvx2(), "this CPU has no AVX2");
        NativeWorkspace workspace = NativeWorkspace.vectorized(EntryPoints.OFF);
        assertThat(decodes(workspace, file)).isTrue();
        assertThat(workspace.baselineDecodes()).isEqualTo(1);
    }

    @Test
    void restartMarkersServeWithoutEntryPointsAndDoNotChangePixels() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeCode.hasAvx2(), "this CPU has no AVX2");
        Random random = new Random(8);
        byte[] file = ImageVectors.file("decode/noise.jpg");
        byte[] encoded = new JpegRestarts().recode(file, 2).bytes();
        try (ImageDecoder expected =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
                ImageDecoder decoder =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, EntryPoints.DEFAULT)) {
            Field whole = expected.decode(file);
            long before = NativeCode.entryPointBytes();
            for (int i = 0; i < 200; i++) {
                Crop crop = crop(random, whole.height(), whole.width());
                Field part = decoder.decode(decoder.check(encoded), crop, new byte[0]);
                assertThat(part.data())
                        .as("%s", crop)
                        .isEqualTo(PixelOps.crop(whole, crop, 0).data());
            }
            assertThat(NativeCode.entryPointBytes()).isEqualTo(before);
        }
    }

    @Test
    void entryPointsAreKeptOnceForEachContentAndDoNotChangePixels() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeCode.hasAvx2(), "this CPU has no AVX2");
        Random random = new Random(7);
        byte[] encoded = ImageVectors.file("decode/noise.jpg");
        ImageHeader header = ImageHeader.parse(encoded);
        try (ImageDecoder expected =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
                ImageDecoder decoder =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, EntryPoints.DEFAULT)) {
            Field whole = expected.decode(encoded);
            long before = NativeCode.entryPointBytes();
            long kept = 0;
            for (int i = 0; i < 30; i++) {
                Crop crop = i == 10
                        ? Crop.whole(header.height(), header.width())
                        : crop(random, header.height(), header.width());
                Field part = decoder.decode(decoder.check(encoded.clone()), crop, new byte[0]);
                assertThat(part.data())
                        .as("%s", crop)
                        .isEqualTo(PixelOps.crop(whole, crop, 0).data());
                long bytes = NativeCode.entryPointBytes() - before;
                assertThat(bytes).isGreaterThanOrEqualTo(kept);
                assertThat(bytes)
                        .as("after the whole image, nothing is left to keep")
                        .isEqualTo(i > 10 ? kept : bytes);
                kept = bytes;
            }
            assertThat(kept).isPositive();
        }
    }

    @Test
    void progressiveJpegsAreLeftToLibjpeg() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        NativeWorkspace workspace = NativeWorkspace.vectorized(EntryPoints.OFF);
        assertThat(decodes(workspace, "rgb420-progressive.jpg")).isEqualTo(NativeCode.hasLibjpeg());
        assertThat(workspace.baselineDecodes()).isZero();
    }

    @Test
    void plainKernelsUseLibjpeg() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        NativeWorkspace workspace = NativeWorkspace.plain();
        assertThat(decodes(workspace, "rgb420.jpg")).isEqualTo(NativeCode.hasLibjpeg());
        assertThat(workspace.baselineDecodes()).isZero();
    }

    private static boolean decodes(JpegKernel jpegs, String file) throws Exception {
        byte[] encoded = ImageVectors.file("decode/" + file);
        return jpegs.decode(encoded, ImageHeader.parse(encoded), 1, new Crop(3, 5, 7, 9), new byte[7 * 9 * 3]);
    }

    private static Crop crop(Random random, int height, int width) {
        int rows = 1 + random.nextInt(height);
        int columns = 1 + random.nextInt(width);
        return new Crop(random.nextInt(height - rows + 1), random.nextInt(width - columns + 1), rows, columns);
    }
}
