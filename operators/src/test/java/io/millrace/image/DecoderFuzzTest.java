package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Mutation;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests with {@link Mutation#CASES} damaged images of every format. Each image is decoded or refused with a reason,
 * quickly and within the limits. All kernels agree on the refusal and on the pixels.
 */
class DecoderFuzzTest {
    private static final Path IMAGES = Path.of("src/test/resources/vectors/image/decode");
    private static final DecodeLimits LIMITS = new DecodeLimits(1_000_000, 1_000_000);
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    private static List<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(IMAGES)) {
            return found.sorted().toList();
        }
    }

    @Test
    void kernelsAgreeOnRefusalsAndPixels() throws Exception {
        List<Path> files = files();
        assertThat(files).hasSizeGreaterThan(10);
        List<ImageDecoder> decoders = new ArrayList<>();
        for (Kernels kernels : KernelChoice.available()) {
            decoders.add(new ImageDecoder(LIMITS, ImageIntegrity.STRUCTURE, kernels));
        }
        int decoded = 0;
        int refused = 0;
        Map<ImageFormat, Integer> filesOfFormat = new EnumMap<>(ImageFormat.class);
        for (Path file : files) {
            filesOfFormat.merge(ImageFormat.of(Files.readAllBytes(file)), 1, Integer::sum);
        }
        for (Path file : files) {
            byte[] original = Files.readAllBytes(file);
            // Each format gets the same number of cases, independent of the number of its files.
            int share = 1 + Mutation.CASES / filesOfFormat.getOrDefault(ImageFormat.of(original), 1);
            for (int seed = 0; seed < share; seed++) {
                byte[] damaged = Mutation.mutate(original, new Random(seed));
                long start = System.nanoTime();
                String first = outcome(decoders.get(0), damaged);
                for (ImageDecoder decoder : decoders.subList(1, decoders.size())) {
                    assertThat(outcome(decoder, damaged))
                            .as("%s, seed %d", file, seed)
                            .isEqualTo(first);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as("%s, seed %d", file, seed)
                        .isLessThan(MOST_TIME);
                if (first.isEmpty()) {
                    refused++;
                } else {
                    decoded++;
                }
            }
        }
        for (ImageDecoder decoder : decoders) {
            decoder.close();
        }
        assertThat(decoded)
                .as("images that are decoded although they are damaged")
                .isPositive();
        assertThat(refused).as("refused").isPositive();
    }

    /** Returns the digest of the pixels, or an empty text for a refused file. */
    private static String outcome(ImageDecoder decoder, byte[] damaged) {
        try {
            Field image = decoder.decode(damaged);
            assertThat((long) image.height() * image.width()).isLessThanOrEqualTo(LIMITS.maxPixels());
            return ImageVectors.sha256(image);
        } catch (MalformedImageException e) {
            assertThat(e.reason()).isNotBlank();
            return "";
        }
    }
}
