package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.image.codec.JpegRestarts.Change;
import io.millrace.image.codec.JpegRestarts.Recoded;
import io.millrace.image.codec.JpegStructure;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of files that get restart markers, or others than before. */
class JpegRestartsTest {
    private static final int[] SAMPLINGS = {
        opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_411,
        opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_420,
        opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_422,
        opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_440,
        opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR_444
    };

    private final JpegRestarts restarts = new JpegRestarts();

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 65_535})
    void filesOfTheVectorsKeepTheirPixelsOrAreLeft(int interval) throws Exception {
        int added = 0;
        for (ImageVectors.Row row : ImageVectors.table("decode.csv")) {
            byte[] file = ImageVectors.file("decode/" + row.text("file"));
            Recoded recoded = restarts.recode(file, interval);
            if (recoded.change() == Change.ADDED) {
                added++;
                requireMarkers(recoded.bytes(), interval);
                requireSamePixels(row.text("file"), file, recoded.bytes());
            } else {
                assertThat(recoded.bytes()).isSameAs(file);
            }
        }
        assertThat(added).isGreaterThan(5);
    }

    /** Sizes of all remainders modulo 8 and 16, and tables that lack the values that intervals begin with. */
    @Test
    void filesOfAnySizeSamplingAndIntervalKeepTheirPixels() throws Exception {
        Random random = new Random(11);
        int replacedTables = 0;
        for (int i = 0; i < 250; i++) {
            int height = 1 + random.nextInt(i % 10 == 0 ? 200 : 40);
            int width = 1 + random.nextInt(i % 10 == 0 ? 200 : 70);
            int channels = random.nextInt(4) == 0 ? 1 : 3;
            int before = random.nextInt(3) == 0 ? 1 + random.nextInt(9) : 0;
            byte[] file = jpeg(
                    pixels(random, height, width, channels),
                    channels,
                    width,
                    opencv_imgcodecs.IMWRITE_JPEG_QUALITY,
                    1 + random.nextInt(100),
                    opencv_imgcodecs.IMWRITE_JPEG_SAMPLING_FACTOR,
                    SAMPLINGS[random.nextInt(SAMPLINGS.length)],
                    opencv_imgcodecs.IMWRITE_JPEG_OPTIMIZE,
                    random.nextInt(2),
                    opencv_imgcodecs.IMWRITE_JPEG_RST_INTERVAL,
                    before);
            int interval = 10 + random.nextInt(30) * (i % 2) - random.nextInt(10);
            Recoded recoded = restarts.recode(file, interval);
            String what = height + "x" + width + " of " + channels + ", interval " + before + " to " + interval;
            assertThat(recoded.change()).as(what).isEqualTo(interval == before ? Change.PRESENT : Change.ADDED);
            requireMarkers(recoded.bytes(), interval);
            requireSamePixels(what, file, recoded.bytes());
            byte[] back =
                    restarts.recode(recoded.bytes(), JpegRestarts.MOST_UNITS).bytes();
            byte[] once = restarts.recode(file, JpegRestarts.MOST_UNITS).bytes();
            requireSamePixels(what, file, back);
            if (tables(recoded.bytes()) > tables(file)) {
                replacedTables++;
            } else {
                assertThat(back).as("%s, without restarts again", what).isEqualTo(once);
            }
        }
        assertThat(replacedTables).as("files whose tables lack values").isGreaterThan(10);
    }

    @Test
    void aPhotoGrowsByHalfAPercentAndIsNotChangedTwice() throws Exception {
        byte[] file = photo(0);
        Recoded recoded = restarts.recode(file, 8);
        assertThat(recoded.change()).isEqualTo(Change.ADDED);
        assertThat(markers(recoded.bytes())).isEqualTo((32 * 24 - 1) / 8);
        assertThat((double) recoded.bytes().length / file.length).isBetween(1.001, 1.01);
        Recoded again = restarts.recode(recoded.bytes(), 8);
        assertThat(again.change()).isEqualTo(Change.PRESENT);
        assertThat(again.bytes()).isSameAs(recoded.bytes());
    }

    @Test
    void otherSegmentsAndBytesBehindTheImageStayAsTheyAre() throws Exception {
        byte[] plain = photo(0);
        byte[] exif = segment(0xe1, "Exif\0\0MM\0*\0\0\0\b\0\0");
        byte[] profile = segment(0xe2, "ICC_PROFILE\0\1\1" + "color".repeat(300));
        byte[] comment = segment(0xfe, "taken by nobody");
        byte[] behind = "MotionPhoto ff d8 \u00ff\u00d8\u00ff".getBytes(StandardCharsets.ISO_8859_1);
        byte[] file = joined(
                Arrays.copyOf(plain, 2), exif, profile, comment, Arrays.copyOfRange(plain, 2, plain.length), behind);
        byte[] recoded = restarts.recode(file, 8).bytes();
        int segments = 2 + exif.length + profile.length + comment.length;
        assertThat(Arrays.copyOf(recoded, segments)).isEqualTo(Arrays.copyOf(file, segments));
        assertThat(Arrays.copyOfRange(recoded, recoded.length - behind.length, recoded.length))
                .isEqualTo(behind);
        assertThat(recoded).hasSize(restarts.recode(plain, 8).bytes().length + file.length - plain.length);
        requireSamePixels("with segments", file, recoded);
    }

    @Test
    void whatIsNoIntactSequentialJpegIsLeft() throws Exception {
        byte[] file = photo(0);
        byte[] progressive = photo(1);
        byte[] truncated = Arrays.copyOf(file, file.length / 2);
        byte[] twelveBits = file.clone();
        twelveBits[frame(file) + 4] = 12;
        byte[] unknown = "text".getBytes(StandardCharsets.UTF_8);
        byte[] png = encoded(".png", pixels(new Random(1), 20, 20, 3), 3, 20);
        for (byte[] left : List.of(progressive, truncated, twelveBits, unknown, new byte[0], png)) {
            Recoded recoded = restarts.recode(left, 8);
            assertThat(recoded.change()).isEqualTo(Change.LEFT);
            assertThat(recoded.bytes()).isSameAs(left);
        }
    }

    /** libjpeg looks for a marker after each interval, and decodes what follows to wrong pixels if there is none. */
    @Test
    void aJpegThatStatesAnIntervalButHasNoMarkersIsDamaged() throws Exception {
        byte[] file = photo(0);
        byte[] interval = {-1, (byte) 0xdd, 0, 4, 0, 8};
        byte[] stated = joined(Arrays.copyOf(file, 2), interval, Arrays.copyOfRange(file, 2, file.length));
        for (int wanted : new int[] {8, 5}) {
            assertThat(restarts.recode(stated, wanted).change()).isEqualTo(Change.LEFT);
        }
        byte[] oneRow = jpeg(new byte[8 * 80 * 3], 3, 80, opencv_imgcodecs.IMWRITE_JPEG_QUALITY, 90);
        byte[] short3 = joined(
                Arrays.copyOf(oneRow, 2),
                new byte[] {-1, (byte) 0xdd, 0, 4, 0, 3},
                Arrays.copyOfRange(oneRow, 2, oneRow.length));
        assertThat(restarts.recode(short3, 2).change()).isEqualTo(Change.LEFT);
    }

    /** What the check does not see as damage is changed, and has the same pixels then. */
    @Test
    void damagedFilesAreLeftOrKeepTheirPixels() throws Exception {
        Random random = new Random(5);
        byte[] small = jpeg(
                pixels(random, 60, 90, 3),
                3,
                90,
                opencv_imgcodecs.IMWRITE_JPEG_QUALITY,
                80,
                opencv_imgcodecs.IMWRITE_JPEG_RST_INTERVAL,
                7);
        int left = 0;
        for (int i = 0; i < 600; i++) {
            byte[] damaged = small.clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                damaged[2 + random.nextInt(damaged.length - 2)] = (byte) random.nextInt(256);
            }
            Recoded recoded = restarts.recode(damaged, 5);
            if (recoded.change() == Change.LEFT) {
                left++;
                assertThat(recoded.bytes()).isSameAs(damaged);
            } else {
                requireSamePixels("damaged file " + i, damaged, recoded.bytes());
            }
        }
        assertThat(left).isBetween(200, 600);
    }

    private static void requireMarkers(byte[] file, int interval) throws MalformedImageException {
        assertThat(JpegRestarts.interval(file)).isEqualTo(interval);
        assertThat(new JpegStructure(JpegStructure::nextEscape).check(file)).isTrue();
        assertThat(new JpegRestarts().recode(file, interval).change()).isEqualTo(Change.PRESENT);
        assertThat(new JpegRestarts().recode(file, interval + 1).change()).isEqualTo(Change.ADDED);
    }

    private static void requireSamePixels(String what, byte[] file, byte[] recoded) throws Exception {
        for (Kernels kernels : KernelChoice.available()) {
            try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
                Field expected = pixels(decoder, file);
                Field found = pixels(decoder, recoded);
                assertThat(found == null).as(what).isEqualTo(expected == null);
                if (expected != null && found != null) {
                    assertThat(found.shape()).as(what).isEqualTo(expected.shape());
                    assertThat(Arrays.equals(found.data(), expected.data()))
                            .as("%s, %s kernels", what, kernels.name())
                            .isTrue();
                }
            }
        }
    }

    private static @Nullable Field pixels(ImageDecoder decoder, byte[] file) {
        try {
            return decoder.decode(file);
        } catch (MalformedImageException e) {
            return null;
        }
    }

    /** A picture of 375x500, smooth with some noise. */
    private static byte[] photo(int progressive) throws Exception {
        Random random = new Random(3);
        byte[] pixels = new byte[375 * 500 * 3];
        for (int i = 0; i < pixels.length; i++) {
            int x = i / 3 % 500;
            int y = i / 1500;
            double value = 128 + 60 * Math.sin(x * 0.05 + i % 3) * Math.cos(y * 0.07) + 18 * random.nextGaussian();
            pixels[i] = (byte) Math.max(0, Math.min(255, value));
        }
        return jpeg(
                pixels,
                3,
                500,
                opencv_imgcodecs.IMWRITE_JPEG_QUALITY,
                90,
                opencv_imgcodecs.IMWRITE_JPEG_PROGRESSIVE,
                progressive);
    }

    private static byte[] pixels(Random random, int height, int width, int channels) {
        byte[] pixels = new byte[height * width * channels];
        int base = random.nextInt(256);
        int noise = random.nextBoolean() ? 6 : 120;
        for (int i = 0; i < pixels.length; i++) {
            int value = base + i / channels / width + random.nextInt(noise);
            pixels[i] = (byte) Math.min(255, value);
        }
        return pixels;
    }

    private static byte[] jpeg(byte[] pixels, int channels, int width, int... parameters) throws Exception {
        return encoded(".jpg", pixels, channels, width, parameters);
    }

    private static byte[] encoded(String extension, byte[] pixels, int channels, int width, int... parameters) {
        int height = pixels.length / channels / width;
        try (Mat image = new Mat(height, width, channels == 1 ? opencv_core.CV_8UC1 : opencv_core.CV_8UC3);
                BytePointer name = new BytePointer(extension);
                BytePointer encoded = new BytePointer();
                IntPointer options = new IntPointer(parameters)) {
            image.data().put(pixels, 0, pixels.length);
            assertThat(opencv_imgcodecs.imencode(name, image, encoded, options)).isTrue();
            byte[] file = new byte[(int) encoded.limit()];
            encoded.get(file);
            return file;
        }
    }

    private static byte[] segment(int marker, String content) {
        byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
        int length = bytes.length + 2;
        return joined(new byte[] {-1, (byte) marker, (byte) (length >> 8), (byte) length}, bytes);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static int frame(byte[] file) {
        int at = 2;
        while ((file[at + 1] & 255) != 0xc0) {
            at += 2 + ((file[at + 2] & 255) << 8) + (file[at + 3] & 255);
        }
        return at;
    }

    private static int count(byte[] file, int first, int last) {
        int count = 0;
        for (int at = 0; at + 1 < file.length; at++) {
            int code = file[at + 1] & 255;
            count += file[at] == -1 && code >= first && code <= last ? 1 : 0;
        }
        return count;
    }

    private static int markers(byte[] file) {
        return count(file, 0xd0, 0xd7);
    }

    private static int tables(byte[] file) {
        return count(file, 0xc4, 0xc4);
    }
}
