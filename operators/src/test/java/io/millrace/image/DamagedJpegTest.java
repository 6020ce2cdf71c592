package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of damaged JPEGs with all kernels. Either all kernels refuse a file or none does, with and without a crop, and
 * the decoded pixels are equal.
 */
class DamagedJpegTest {
    private static final int TRIALS = 150;

    private static final Crop CROP = new Crop(2, 9, 13, 17);

    static List<Kernels> kernels() {
        return KernelChoice.available();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void refusalsAndPixelsAreThoseOfDecodingTheWholeInPlainJava(Kernels kernels) {
        Random random = new Random(7);
        int refused = 0;
        int decoded = 0;
        try (ImageDecoder plain =
                        new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, ScalarKernels.INSTANCE);
                ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            for (String file :
                    List.of("rgb420.jpg", "rgb420-progressive.jpg", "gray.jpg", "restarts.jpg", "noise.jpg")) {
                for (int trial = 0; trial < TRIALS; trial++) {
                    byte[] damaged = damaged(ImageVectors.file("decode/" + file), random);
                    Result expected = result(plain, damaged, false);
                    assertThat(result(decoder, damaged, true))
                            .as("%s, trial %d", file, trial)
                            .isEqualTo(expected);
                    if (expected.reason.isEmpty()) {
                        decoded++;
                    } else {
                        refused++;
                    }
                }
            }
        }
        assertThat(refused).isGreaterThan(TRIALS);
        assertThat(decoded).isGreaterThan(TRIALS);
    }

    /** The reason of a refusal, or a hash of the crop's pixels. */
    private record Result(String reason, int pixels) {}

    private static Result result(ImageDecoder decoder, byte[] encoded, boolean cropAlone) {
        try {
            CheckedImage image = decoder.check(encoded);
            if (!CROP.within(image.height(), image.width())) {
                return new Result("too small", 0);
            }
            if (cropAlone) {
                return new Result(
                        "",
                        Arrays.hashCode(decoder.decode(image, CROP, new byte[0]).data()));
            }
            Field whole = decoder.decode(encoded);
            return new Result("", Arrays.hashCode(PixelOps.crop(whole, CROP, 0).data()));
        } catch (MalformedImageException e) {
            return new Result(e.reason(), 0);
        }
    }

    /** Returns a copy with one to four changes: bits, bytes, and ranges that are lost, doubled or replaced by noise. */
    private static byte[] damaged(byte[] whole, Random random) {
        byte[] bytes = whole.clone();
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = 2 + random.nextInt(bytes.length - 2);
            int length = Math.min(1 + random.nextInt(40), bytes.length - at);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> {
                    byte[] shorter = Arrays.copyOf(bytes, bytes.length - length);
                    System.arraycopy(bytes, at + length, shorter, at, bytes.length - at - length);
                    bytes = shorter;
                }
                case 3 -> {
                    byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
                    System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
                    bytes = longer;
                }
                default -> {
                    byte[] noise = new byte[length];
                    random.nextBytes(noise);
                    System.arraycopy(noise, 0, bytes, at, length);
                }
            }
        }
        return bytes;
    }
}
