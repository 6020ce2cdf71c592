package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
        assertThatThrownBy(() ->
                        NativeKernels.best(ScalarKernels.INSTANCE).mirrorColumns(new byte[4 * 20 * 3 + 1], 4, 20, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected height 4 x width 20 x 3 bytes, height and width at least 1, found 241 bytes");
    }

    @Test
    void shorterArrayThanThePictureIsRejected() {
        assertThatThrownBy(() -> NativeKernels.best(ScalarKernels.INSTANCE).mirrorColumns(new byte[30], 4, 20, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected height 4 x width 20 x 3 bytes, height and width at least 1, found 30 bytes");
    }
}
