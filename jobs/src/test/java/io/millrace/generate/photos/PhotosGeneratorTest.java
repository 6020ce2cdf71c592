package io.millrace.generate.photos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.generate.Generation;
import io.millrace.generate.ProgressListener;
import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhotosGeneratorTest {
    private static final ImageSize SIZE = new ImageSize(500, 375);

    @TempDir
    Path root;

    private final PhotosGenerator generator = new PhotosGenerator();

    private Generation draw(Path folder, Map<String, ?> options, int threads) throws IOException {
        Files.createDirectories(folder);
        return generator.draw(
                OptionValues.of(generator.options(), options), folder, threads, ProgressListener.silent());
    }

    private static Map<String, byte[]> files(Path folder) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    @Test
    void anyNumberOfThreadsWritesTheSameFiles() throws IOException {
        Map<String, Object> options = Map.of("count", 40L, "size", "96x64", "bad", 6L, "seed", 5L);
        Generation generation = draw(root.resolve("one"), options, 1);
        draw(root.resolve("three"), options, 3);
        Map<String, byte[]> one = files(root.resolve("one"));
        Map<String, byte[]> three = files(root.resolve("three"));
        assertThat(one).hasSize(46);
        assertThat(three.keySet()).isEqualTo(one.keySet());
        one.forEach((name, bytes) -> assertThat(three.get(name)).as(name).isEqualTo(bytes));
        assertThat(generation.counts()).hasSize(10).containsEntry("sea", 4L);
        assertThat(generation.samples()).isEqualTo(40);
        assertThat(generation.bytes())
                .isEqualTo(one.values().stream().mapToLong(b -> b.length).sum());
        assertThat(one).containsKeys("meadow/000000.jpg", "meadow/000010.jpg", "desert/000001.jpg");
    }

    @Test
    void anotherSeedDrawsOtherImagesOfTheSameClasses() throws IOException {
        Generation train = draw(root.resolve("train"), Map.of("count", 10L, "size", "96x64", "seed", 1L), 2);
        Generation test = draw(root.resolve("test"), Map.of("count", 10L, "size", "96x64", "seed", 2L), 2);
        assertThat(test.counts()).isEqualTo(train.counts());
        Map<String, byte[]> first = files(root.resolve("train"));
        files(root.resolve("test"))
                .forEach((name, bytes) -> assertThat(bytes).as(name).isNotEqualTo(first.get(name)));
    }

    @Test
    void filesHaveTheRequestedSizeAndHalvedColour() {
        long bytes = 0;
        try (PhotoStudio studio = new PhotoStudio(11, 10, SIZE, 90)) {
            for (int i = 0; i < 40; i++) {
                byte[] jpeg = studio.photograph(i);
                bytes += jpeg.length;
                int frame = JpegBytes.segment(jpeg, JpegBytes.SOF0);
                assertThat(new int[] {word(jpeg, frame + 5), word(jpeg, frame + 7), jpeg[frame + 9]})
                        .as("height, width, components")
                        .containsExactly(375, 500, 3);
                assertThat(List.of(jpeg[frame + 11], jpeg[frame + 14], jpeg[frame + 17]))
                        .as("sampling factors: 2x2 luma, 1x1 colour is 4:2:0")
                        .containsExactly((byte) 0x22, (byte) 0x11, (byte) 0x11);
            }
        }
        assertThat(bytes / 40).isBetween(45_000L, 110_000L);
    }

    @Test
    void restartMarkersDoNotChangePixelsAndAreSmall() throws Exception {
        long bytes = 0;
        long markedBytes = 0;
        try (PhotoStudio plain = new PhotoStudio(11, 10, SIZE, 90);
                PhotoStudio marked = new PhotoStudio(11, 10, SIZE, 90, 8);
                ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            for (int i = 0; i < 20; i++) {
                byte[] jpeg = plain.photograph(i);
                byte[] withMarkers = marked.photograph(i);
                bytes += jpeg.length;
                markedBytes += withMarkers.length;
                assertThat(JpegRestarts.interval(jpeg)).isZero();
                assertThat(JpegRestarts.interval(withMarkers)).isEqualTo(8);
                assertThat(decoder.decode(withMarkers).data())
                        .isEqualTo(decoder.decode(jpeg).data());
                assertThat(new JpegRestarts().recode(jpeg, 8).bytes())
                        .as("the file of libjpeg-turbo's encoder")
                        .hasSize(withMarkers.length);
            }
        }
        assertThat((double) markedBytes / bytes).isBetween(1.001, 1.01);
    }

    @Test
    void restartMarkersArePartOfTheRequest() throws IOException {
        Generation plain = draw(root.resolve("plain"), Map.of("count", 3L, "classes", 3L, "size", "96x64"), 1);
        Generation marked =
                draw(root.resolve("marked"), Map.of("count", 3L, "classes", 3L, "size", "96x64", "restart", 2L), 1);
        assertThat(plain.options()).doesNotContainKey("restart");
        assertThat(marked.options()).containsEntry("restart", 2);
        assertThat(marked.sameRequest(plain)).isFalse();
        for (byte[] file : files(root.resolve("marked")).values()) {
            assertThat(JpegRestarts.interval(file)).isEqualTo(2);
        }
    }

    @Test
    void anImageDoesNotDependOnThePreviousOne() {
        try (PhotoStudio fresh = new PhotoStudio(4, 10, new ImageSize(160, 120), 90);
                PhotoStudio used = new PhotoStudio(4, 10, new ImageSize(160, 120), 90)) {
            for (int i = 60; i > 0; i--) {
                used.photograph(i);
            }
            for (int i = 0; i < 60; i++) {
                assertThat(fresh.photograph(i)).as("image " + i).isEqualTo(used.photograph(i));
            }
        }
    }

    /** The classifier uses only the mean colours and the roughness of three bands of each class. */
    @Test
    void classesCanBeDistinguishedByColourAndTexture() {
        int classes = 10;
        double[][] mean = new double[classes][];
        int right = 0;
        try (PhotoStudio train = new PhotoStudio(1, classes, new ImageSize(120, 90), 90);
                PhotoStudio test = new PhotoStudio(2, classes, new ImageSize(120, 90), 90)) {
            for (int i = 0; i < 20 * classes; i++) {
                double[] seen = statistics(train.paint(i), 120, 90);
                double[] sum = mean[i % classes] == null ? new double[seen.length] : mean[i % classes];
                for (int k = 0; k < seen.length; k++) {
                    sum[k] += seen[k] / 20;
                }
                mean[i % classes] = sum;
            }
            for (int i = 0; i < 10 * classes; i++) {
                right += nearest(mean, statistics(test.paint(i), 120, 90)) == i % classes ? 1 : 0;
            }
        }
        assertThat(right).as("of 100; chance is 10").isGreaterThan(75);
    }

    private static double[] statistics(byte[] pixels, int width, int height) {
        double[] bands = new double[12];
        for (int y = 0; y < height; y++) {
            int band = 4 * (3 * y / height);
            for (int x = 1; x < width; x++) {
                int i = 3 * (y * width + x);
                for (int c = 0; c < 3; c++) {
                    bands[band + c] += pixels[i + c] & 0xff;
                }
                bands[band + 3] += 2 * Math.abs((pixels[i + 1] & 0xff) - (pixels[i - 2] & 0xff));
            }
        }
        for (int k = 0; k < bands.length; k++) {
            bands[k] /= width * height / 3.0;
        }
        return bands;
    }

    private static int nearest(double[][] means, double[] seen) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int k = 0; k < means.length; k++) {
            double distance = 0;
            for (int i = 0; i < seen.length; i++) {
                distance += (seen[i] - means[k][i]) * (seen[i] - means[k][i]);
            }
            if (distance < least) {
                least = distance;
                best = k;
            }
        }
        return best;
    }

    @Test
    void moreClassesThanImagesAreRefused() {
        OptionValues values = OptionValues.of(generator.options(), Map.of("count", 5L));
        assertThatThrownBy(() -> generator.request(values))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'classes': expected at most as many as count, 5, found 10");
    }

    @Test
    void ownFilesAreRecognisedByName() {
        assertThat(generator.owns(Path.of("sea/000007.jpg"))).isTrue();
        assertThat(generator.owns(Path.of("sea/bad-huge-header-5.jpg"))).isTrue();
        assertThat(generator.owns(Path.of("sea/holiday.jpg"))).isFalse();
        assertThat(generator.owns(Path.of("family/000007.jpg"))).isFalse();
        assertThat(generator.owns(Path.of("000007.jpg"))).isFalse();
    }

    private static int word(byte[] bytes, int at) {
        return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
    }
}
