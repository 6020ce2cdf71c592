package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.codec.MarkerSearch;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of the native kernels with arrays of a wrong length, which would damage Java's memory without a check. */
class NativeKernelsTest {
    @BeforeAll
    static void requireAvx2() {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeCode.hasAvx2(), "this CPU has no AVX2");
    }

    @Test
    void longerArrayThanThePictureIsRejected() {
        assertThatThrownBy(() -> NativeKernels.best().mirrorColumns(new byte[4 * 20 * 3 + 1], 4, 20, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected height 4 x width 20 x 3 bytes, height and width at least 1, and 1 or 3 channels,"
                        + " found 241 bytes");
    }

    @Test
    void shorterArrayThanThePictureIsRejected() {
        assertThatThrownBy(() -> NativeKernels.best().mirrorColumns(new byte[30], 4, 20, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected height 4 x width 20 x 3 bytes, height and width at least 1, and 1 or 3 channels,"
                        + " found 30 bytes");
    }

    @Test
    void partOfAPixelIsNotChanged() {
        for (boolean avx2 : new boolean[] {true, false}) {
            ColorKernel color = new NativeColorKernel(avx2);
            List<ThrowingCallable> calls = List.of(
                    () -> color.saturate(new byte[31], 1, 0),
                    () -> color.grayscale(new byte[31]),
                    () -> color.turnHue(new byte[31], 0),
                    () -> color.graySum(new byte[31]),
                    () -> color.gray(new byte[31], new byte[10]));
            for (ThrowingCallable call : calls) {
                assertThatThrownBy(call)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("expected pixels of 3 bytes, found 31 bytes");
            }
        }
    }

    @Test
    void grayNeedsOneByteForEachPixel() {
        ColorKernel color = new NativeColorKernel(true);
        for (int wrong : new int[] {0, 9, 11}) {
            assertThatThrownBy(() -> color.gray(new byte[30], new byte[wrong]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("expected one byte for the gray of each pixel");
        }
    }

    @Test
    void markerSearchSkipsStuffedZerosOnly() {
        MarkerSearch markers = NativeKernels.best().markers();
        Random random = new Random(5);
        for (int trial = 0; trial < 20_000; trial++) {
            byte[] bytes = new byte[random.nextInt(200)];
            for (int i = 0; i < bytes.length; i++) {
                int kind = random.nextInt(20);
                bytes[i] = kind < 2 ? -1 : kind < 4 ? 0 : (byte) random.nextInt(256);
            }
            int from = random.nextInt(bytes.length + 1);
            int expected = from;
            while (expected < bytes.length
                    && (bytes[expected] != -1 || (expected + 1 < bytes.length && bytes[expected + 1] == 0))) {
                expected++;
            }
            assertThat(markers.next(bytes, from))
                    .as("from %d in %s", from, HexFormat.of().formatHex(bytes))
                    .isEqualTo(expected);
        }
    }

    @Test
    void markerSearchOutsideOfTheArrayIsRejected() {
        MarkerSearch markers = NativeKernels.best().markers();
        assertThatThrownBy(() -> markers.next(new byte[4], 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected an index of 0 to 4, found 5");
        assertThatThrownBy(() -> markers.next(new byte[4], -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
