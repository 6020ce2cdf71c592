package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Tests of the choice of kernels by name. */
class KernelChoiceTest {
    @Test
    void scalarKernelsAreAvailableEverywhere() {
        assertThat(KernelChoice.named("scalar").description()).isEqualTo("scalar");
    }

    @Test
    void theDefaultIsNativeWhereItCanBeLoaded() {
        assertThat(KernelChoice.named("auto").name()).isEqualTo(NativeKernels.obstacle() == null ? "native" : "scalar");
    }

    @Test
    void missingKernelsAreRefusedWithTheReason() {
        String obstacle = NativeKernels.obstacle();
        if (obstacle == null) {
            assertThat(KernelChoice.named("native").name()).isEqualTo("native");
        } else {
            assertThatThrownBy(() -> KernelChoice.named("native"))
                    .isInstanceOf(MissingKernelsException.class)
                    .hasMessageContaining(obstacle);
        }
    }

    @Test
    void unknownKernelsAreRefusedWithTheKnownNames() {
        assertThatThrownBy(() -> KernelChoice.named("sse"))
                .isInstanceOf(MissingKernelsException.class)
                .hasMessage("image kernels: expected auto, native or scalar in MILLRACE_KERNELS or -Dmillrace.kernels,"
                        + " found 'sse'");
    }

    @Test
    void theVectorKernelsOfEarlierVersionsAreRefused() {
        assertThatThrownBy(() -> KernelChoice.named("vector"))
                .isInstanceOf(MissingKernelsException.class)
                .hasMessage("image kernels: 'vector' are configured (MILLRACE_KERNELS or -Dmillrace.kernels), but"
                        + " Millrace no longer has them: use auto, native or scalar");
    }
}
