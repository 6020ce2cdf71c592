package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which share of damage to a JPEG's entropy-coded data is seen: the figures stated at {@link ImageIntegrity}. */
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
    void overwrittenStretchIsNearlyAlwaysSeen() throws Exception {
        double seen = seen(entropy, 64);
        System.out.println("64 bytes, entropy: " + seen + ", structure " + seen(structure, 64));
        assertThat(seen).isGreaterThan(0.95);
    }

    @Test
    void singleChangedByteIsMostlySeen() throws Exception {
        double seen = seen(entropy, 1);
        System.out.println("1 byte, entropy: " + seen + ", structure " + seen(structure, 1));
        assertThat(seen).isGreaterThan(0.5);
    }

    /** The share refused of files whose pixels differ after {@code length} random bytes were written into the scan. */
    private double seen(ImageDecoder decoder, int length) throws Exception {
        Random random = new Random(20);
        byte[] pixels = structure.decode(whole).data();
        int harmful = 0;
        int refused = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            byte[] damaged = whole.clone();
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, damaged, 800 + random.nextInt(whole.length - 900), length);
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
