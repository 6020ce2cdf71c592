package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.Precision;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** PyTorch's warnings, caused by the function that operations of PyTorch call before they compute. */
class EngineWarningsTest {
    @BeforeAll
    static void load() {
        TrainingRuntime.preload();
    }

    /** Warns as an operation of that name does when it has no deterministic implementation. */
    private static void compute(String operation) {
        byte[] name = operation.getBytes(StandardCharsets.US_ASCII);
        try (Memory characters = new Memory(name.length);
                Memory view = new Memory(2L * Long.BYTES)) { // std::string_view: length and address
            characters.write(0, name, 0, name.length);
            view.setLong(0, name.length);
            view.setPointer(Long.BYTES, characters);
            Libtorch.find(
                            "_ZN2at7Context21alertNotDeterministicERKSt17basic_string_viewIcSt11char_traitsIcEE",
                            "the test calls")
                    .invokeVoid(new Object[] {view});
        }
    }

    private static List<String> warnings(String operation) {
        return EngineWarnings.heard().stream()
                .filter(warning -> warning.contains(operation))
                .toList();
    }

    @Test
    void operationsThatAreNotReproducibleAreReportedOnce() {
        try (CudaSettings settings = new CudaSettings(Precision.FLOAT32, GpuKernels.REPRODUCIBLE)) {
            assertThat(settings).isNotNull();
            compute("first_backward_cuda");
            compute("first_backward_cuda");
            compute("second_cuda");
        }
        assertThat(warnings("_cuda"))
                .containsExactly(
                        "results may differ from run to run: first_backward_cuda does not have a deterministic"
                                + " implementation",
                        "results may differ from run to run: second_cuda does not have a deterministic implementation");
    }

    @Test
    void warningsOfAnEarlierTrainingAreForgotten() {
        new CudaSettings(Precision.FLOAT32, GpuKernels.REPRODUCIBLE).close();
        assertThat(warnings("_cuda")).isEmpty();
    }

    /** Another training on another thread keeps PyTorch's own handler, which prints. */
    @Test
    void otherThreadsAreNotListenedTo() throws InterruptedException {
        try (CudaSettings settings = new CudaSettings(Precision.FLOAT32, GpuKernels.REPRODUCIBLE)) {
            assertThat(settings).isNotNull();
            Thread other = new Thread(() -> compute("other_cuda"));
            other.start();
            other.join();
            compute("own_cuda");
        }
        assertThat(warnings("other_cuda")).isEmpty();
        assertThat(warnings("own_cuda")).hasSize(1);
    }

    /** PyTorch repeats a warning in every step. */
    @Test
    void warningsAboutAnythingElseAreLoggedOnceAndNotAllOfThem() {
        assertThat(EngineWarnings.isLogged("an operation is slow")).isTrue();
        assertThat(EngineWarnings.isLogged("an operation is slow")).isFalse();
        assertThat(EngineWarnings.isLogged("an operation is deprecated")).isTrue();
        assertThat(IntStream.range(0, 1000).filter(i -> EngineWarnings.isLogged("a tensor of shape " + i)))
                .hasSizeLessThan(20);
    }

    @Test
    void trainingsThatDoNotRequestReproducibleResultsAreNotListenedTo() {
        EngineWarnings.forget();
        try (CudaSettings settings = new CudaSettings(Precision.FLOAT32, GpuKernels.FASTEST)) {
            assertThat(settings).isNotNull();
            compute("fast_cuda");
        }
        assertThat(warnings("fast_cuda")).isEmpty();
    }
}
