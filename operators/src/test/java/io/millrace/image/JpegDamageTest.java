package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageHeader;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegStructure;
import io.millrace.image.codec.MalformedImageException;
import java.util.Arrays;
import java.util.Random;
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
    private final ImageDecoder entropy = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.ENTROPY);

    @AfterEach
    void close() {
        structure.close();
        entropy.close();
    }

    @Test
    void overwrittenRangeIsMostlyDetectedByStructureAndNearlyAlwaysByEntropy() throws Exception {
        assertThat(refusedShare(structure, 512)).isGreaterThan(0.8);
        assertThat(refusedShare(entropy, 512)).isGreaterThan(0.97);
    }

    @Test
    void entropyDetectsSmallDamageThatStructureDoesNot() throws Exception {
        assertThat(refusedShare(structure, 64)).isBetween(0.1, 0.3);
        assertThat(refusedShare(entropy, 64)).isGreaterThan(0.65);
        assertThat(refusedShare(entropy, 1)).isGreaterThan(10 * refusedShare(structure, 1));
    }

    /** The walk in Java decides about all JPEGs that the native kernels do not find intact. */
    @ParameterizedTest
    @ValueSource(strings = {"rgb420.jpg", "gray.jpg", "restarts.jpg", "noise.jpg"})
    void jpegsThatTheNativeKernelsFindIntactPassTheWalk(String file) throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeCode.hasAvx2(), "this CPU has no AVX2");
        byte[] original = ImageVectors.file("decode/" + file);
        NativeWorkspace kernel = NativeWorkspace.vectorized(EntryPoints.OFF);
        assertThat(kernel.isIntact(original, ImageHeader.parse(original))).isTrue();
        Random random = new Random(3);
        int intact = 0;
        for (int trial = 0; trial < 3_000; trial++) {
            byte[] damaged = original.clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                damaged[2 + random.nextInt(damaged.length - 2)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            ImageHeader header;
            try {
                header = ImageHeader.parse(damaged);
            } catch (MalformedImageException e) {
                continue; // refused before the check
            }
            if (kernel.isIntact(damaged, header)) {
                intact++;
                new JpegStructure(ImageIntegrity.ENTROPY).check(damaged);
            }
        }
        assertThat(intact).as("changes that leave the codes intact").isPositive();
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
