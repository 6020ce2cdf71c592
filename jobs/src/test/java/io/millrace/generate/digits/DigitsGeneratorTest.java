package io.millrace.generate.digits;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.generate.ProgressListener;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DigitsGeneratorTest {
    private static final List<String> FILES = List.of(
            "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");

    @TempDir
    Path root;

    private Path draw(String name, long train, long test, long seed, int threads) throws IOException {
        Path folder = Files.createDirectories(root.resolve(name));
        DigitsGenerator generator = new DigitsGenerator();
        OptionValues values = OptionValues.of(generator.options(), Map.of("train", train, "test", test, "seed", seed));
        generator.draw(values, folder, threads, ProgressListener.silent());
        return folder;
    }

    @Test
    void anyNumberOfThreadsWritesTheSameBytes() throws IOException {
        Path one = draw("one", 2300, 700, 7, 1);
        for (int threads : new int[] {2, 5}) {
            Path many = draw("many" + threads, 2300, 700, 7, threads);
            for (String file : FILES) {
                assertThat(many.resolve(file)).hasSameBinaryContentAs(one.resolve(file));
            }
        }
    }

    @Test
    void headersAreThoseOfMnist() throws IOException {
        Path folder = draw("set", 60, 20, 1, 2);
        ByteBuffer images = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(FILES.get(0))));
        assertThat(new int[] {images.getInt(), images.getInt(), images.getInt(), images.getInt()})
                .containsExactly(2051, 60, 28, 28);
        assertThat(images.remaining()).isEqualTo(60 * 784);
        ByteBuffer labels = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(FILES.get(3))));
        assertThat(new int[] {labels.getInt(), labels.getInt()}).containsExactly(2049, 20);
        assertThat(labels.remaining()).isEqualTo(20);
        while (labels.hasRemaining()) {
            assertThat(labels.get()).isBetween((byte) 0, (byte) 9);
        }
    }

    @Test
    void anImageDependsOnlyOnSeedSplitAndNumber() throws IOException {
        byte[] few = pixels(draw("few", 40, 40, 1, 1), 0);
        byte[] more = pixels(draw("more", 1000, 40, 1, 2), 0);
        assertThat(Arrays.copyOf(more, few.length)).isEqualTo(few);
        assertThat(pixels(root.resolve("few"), 2)).isNotEqualTo(few);
        assertThat(pixels(draw("other", 40, 40, 2, 1), 0)).isNotEqualTo(few);
    }

    /** Classifies the test split by the mean images of the training split: far better than chance, and far from perfect. */
    @Test
    void digitsCanBeDistinguishedAndAreNotTrivial() throws IOException {
        Path folder = draw("set", 4000, 1000, 3, 2);
        byte[] train = pixels(folder, 0);
        byte[] trainLabels = pixels(folder, 1);
        double[][] mean = new double[10][784];
        int[] count = new int[10];
        for (int i = 0; i < 4000; i++) {
            count[trainLabels[i]]++;
        }
        for (int i = 0; i < 4000; i++) {
            for (int p = 0; p < 784; p++) {
                mean[trainLabels[i]][p] += (train[784 * i + p] & 0xff) / (double) count[trainLabels[i]];
            }
        }
        assertThat(Arrays.stream(count).boxed()).allMatch(n -> n > 320 && n < 480);
        byte[] test = pixels(folder, 2);
        byte[] testLabels = pixels(folder, 3);
        int right = 0;
        for (int i = 0; i < 1000; i++) {
            right += nearest(mean, test, 784 * i) == testLabels[i] ? 1 : 0;
        }
        assertThat(right).isBetween(600, 950);
    }

    private static int nearest(double[][] means, byte[] pixels, int offset) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int digit = 0; digit < 10; digit++) {
            double distance = 0;
            for (int p = 0; p < 784; p++) {
                double difference = (pixels[offset + p] & 0xff) - means[digit][p];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = digit;
            }
        }
        return best;
    }

    private static byte[] pixels(Path folder, int file) throws IOException {
        byte[] bytes = Files.readAllBytes(folder.resolve(FILES.get(file)));
        return Arrays.copyOfRange(bytes, file % 2 == 0 ? 16 : 8, bytes.length);
    }
}
