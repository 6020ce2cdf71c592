package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the choice of kernels when some kernels are not available. */
class KernelChoiceTest {
    /** Kernels that refuse to be created, like the vector kernels if the machine's vectors are too short. */
    static final class RefusingKernels implements Kernels {
        RefusingKernels() {
            throw new UnsupportedOperationException("vectors have 128 bits, 256 are needed");
        }

        @Override
        public String name() {
            throw new AssertionError("must not be called");
        }

        @Override
        public ResizeKernel resize() {
            throw new AssertionError("must not be called");
        }

        @Override
        public ColorKernel color() {
            throw new AssertionError("must not be called");
        }

        @Override
        public FloatKernel floats(FloatFormula formula) {
            throw new AssertionError("must not be called");
        }

        @Override
        public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
            throw new AssertionError("must not be called");
        }
    }

    @Test
    void kernelsThatRefuseToBeCreatedAreMissingForTheirReason() {
        KernelChoice.Found found = KernelChoice.find(RefusingKernels.class.getName());
        assertThat(found.kernels()).isNull();
        assertThat(found.obstacle()).isEqualTo("vectors have 128 bits, 256 are needed");
    }

    @Test
    void kernelsThatCannotBeLoadedAreMissingBecauseOfTheModule() {
        KernelChoice.Found found = KernelChoice.find("io.millrace.image.NoSuchKernels");
        assertThat(found.kernels()).isNull();
        assertThat(found.obstacle()).contains("jdk.incubator.vector");
    }

    @Test
    void kernelsThatCanBeCreatedAreFound() {
        KernelChoice.Found found = KernelChoice.find("io.millrace.image.VectorKernels");
        assertThat(found.kernels()).isNotNull();
        assertThat(found.obstacle()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "-Xint, false",
        "-XX:TieredStopAtLevel=1, false",
        "-XX:TieredStopAtLevel=3, false",
        "-XX:TieredStopAtLevel=4, true",
        "-Xmx2g, true"
    })
    void optionsShowWhetherTheJvmOptimizes(String option, boolean optimizes) {
        assertThat(KernelChoice.optimizes(List.of("-XX:+UseSerialGC", option))).isEqualTo(optimizes);
    }
}
