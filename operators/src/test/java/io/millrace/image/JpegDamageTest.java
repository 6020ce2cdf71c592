package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegHeader;
import io.millrace.image.codec.MalformedImageException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the share of damage to a JPEG's entropy-coded data that is detected. {@link ImageIntegrity} states this
 * share.
 */
class JpegDamageTest {
    private static final int TRIALS = 400;

    private final byte[] whole = ImageVectors.file("decode/noise.jpg");
    private final ImageDecoder structure = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);
    private @Nullable ImageDecoder entropy;

    @AfterEach
    void close() {
        structure.close();
        if (entropy != null) {
            entropy.close();
        }
    }

    /** Returns a decoder that checks entropy-coded data; skips the test without it. */
    private ImageDecoder entropy() {
        ImageDecoder made = entropy;
        if (made == null) {
            assumeTrue(Kernels.chosen().findDamage(), "no native kernels with AVX2");
            made = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.ENTROPY);
            entropy = made;
        }
        return made;
    }

    @Test
    void overwrittenRangeIsMostlyDetectedByStructureAndNearlyAlwaysByEntropy() throws Exception {
        assertThat(refusedShare(structure, 512)).isGreaterThan(0.8);
        assertThat(refusedShare(entropy(), 512)).isGreaterThan(0.97);
    }

    @Test
    void entropyDetectsSmallDamageThatStructureDoesNot() throws Exception {
        assertThat(refusedShare(structure, 64)).isBetween(0.1, 0.3);
        assertThat(refusedShare(entropy(), 64)).isGreaterThan(0.65);
        assertThat(refusedShare(entropy(), 1)).isGreaterThan(10 * refusedShare(structure, 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rgb420.jpg", "gray.jpg", "restarts.jpg", "noise.jpg"})
    void codedUnitsThatAreMissingAreDamage(String file) throws Exception {
        byte[] whole = ImageVectors.file("decode/" + file);
        int half = whole.length / 2;
        while (whole[half - 1] == -1 || whole[half] == -1) {
            half++;
        }
        byte[] cut = Arrays.copyOf(whole, half + 2);
        cut[half] = -1;
        cut[half + 1] = (byte) 0xd9;

        assertThat(entropy().decode(whole).data())
                .isEqualTo(structure.decode(whole).data());
        assertThatThrownBy(() -> entropy().decode(cut))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining("corrupt JPEG: expected entropy-coded data of")
                .hasMessageContaining("or more or less data");
    }

    @Test
    void anotherHeightThanThatOfTheDataIsDamage() {
        byte[] taller = ImageVectors.file("decode/rgb420.jpg");
        int frame = 2;
        while (!JpegHeader.isFrame(taller[frame + 1] & 255)) {
            frame += 2 + (((taller[frame + 2] & 255) << 8) | (taller[frame + 3] & 255));
        }
        taller[frame + 6] = 90;
        ImageDecoder decoder = entropy(); // outside of the assertion, which would catch what skips the test
        assertThatThrownBy(() -> decoder.decode(taller))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageContaining("x90 pixels");
    }

    /** Some cameras and editors write zeros, bytes ff or a comment behind the data of an image. */
    @ParameterizedTest
    @ValueSource(strings = {"rgb420.jpg", "gray.jpg", "restarts.jpg"})
    void unusualEndsAreNoDamage(String file) throws Exception {
        byte[] whole = ImageVectors.file("decode/" + file);
        byte[] pixels = structure.decode(whole).data();
        List<byte[]> ends =
                List.of(new byte[200], new byte[10_000], new byte[] {-1}, new byte[] {-1, -1, -1}, new byte[] {
                    -1, (byte) 0xfe, 0, 4, 'o', 'k'
                });
        for (byte[] end : ends) {
            byte[] longer = Arrays.copyOf(whole, whole.length + end.length);
            System.arraycopy(end, 0, longer, whole.length - 2, end.length);
            System.arraycopy(whole, whole.length - 2, longer, longer.length - 2, 2);
            assertThat(entropy().decode(longer).data())
                    .as("%d bytes", end.length)
                    .isEqualTo(pixels);
        }
    }

    @Test
    void kernelsWithoutTheCheckRefuseIt() {
        assertThatThrownBy(() -> new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.ENTROPY, ScalarKernels.INSTANCE))
                .isInstanceOf(MissingKernelsException.class)
                .hasMessageContaining(
                        "integrity: entropy needs the native kernels and a CPU with AVX2, found the kernels scalar")
                .hasMessageContaining("integrity: structure works with all kernels");
    }

    /**
     * Writes {@code length} random bytes into the scan, and returns the share of refused files among those whose pixels
     * differ.
     */
    private double refusedShare(ImageDecoder decoder, int length) throws Exception {
        Random random = new Random(20);
        byte[] pixels = structure.decode(whole).data();
        int harmful = 0;
        int refused = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            byte[] damaged = whole.clone();
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, damaged, 700 + random.nextInt(whole.length - 710 - length), length);
            boolean accepted;
            boolean different;
            try {
                different = !Arrays.equals(pixels, decoder.decode(damaged).data());
                accepted = true;
            } catch (MalformedImageException e) {
                different = true;
                accepted = false;
            }
            harmful += different ? 1 : 0;
            refused += accepted ? 0 : 1;
        }
        return (double) refused / harmful;
    }
}
