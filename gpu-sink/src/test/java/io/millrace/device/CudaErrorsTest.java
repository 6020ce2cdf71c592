package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The translation of the driver's error codes, with the numbers in cuda.h of CUDA 13. */
class CudaErrorsTest {
    private static void check(int result, String call) {
        CudaErrors.check(result, call, "on cuda:0");
    }

    @ParameterizedTest
    @CsvSource({
        "4, CUDA_ERROR_DEINITIALIZED",
        "214, CUDA_ERROR_ECC_UNCORRECTABLE",
        "220, CUDA_ERROR_NVLINK_UNCORRECTABLE",
        "226, CUDA_ERROR_CONTAINED",
        "700, CUDA_ERROR_ILLEGAL_ADDRESS",
        "702, CUDA_ERROR_LAUNCH_TIMEOUT",
        "709, CUDA_ERROR_CONTEXT_IS_DESTROYED",
        "710, CUDA_ERROR_ASSERT",
        "714, CUDA_ERROR_HARDWARE_STACK_ERROR",
        "715, CUDA_ERROR_ILLEGAL_INSTRUCTION",
        "716, CUDA_ERROR_MISALIGNED_ADDRESS",
        "717, CUDA_ERROR_INVALID_ADDRESS_SPACE",
        "718, CUDA_ERROR_INVALID_PC",
        "719, CUDA_ERROR_LAUNCH_FAILED",
        "721, CUDA_ERROR_TENSOR_MEMORY_LEAK",
        "810, CUDA_ERROR_MPS_CLIENT_TERMINATED",
        "911, CUDA_ERROR_EXTERNAL_DEVICE",
        "999, CUDA_ERROR_UNKNOWN"
    })
    void stickyErrorsRequireTheProcessToEnd(int result, String name) {
        assertThat(CudaErrors.isSticky(result)).isTrue();
        assertThatThrownBy(() -> check(result, "cuEventQuery"))
                .isInstanceOf(DeviceBrokenException.class)
                .hasMessageStartingWith("cuEventQuery on cuda:0 failed with " + name + " (" + result + "): ")
                .hasMessageContaining("The process has to end");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {1, 34, 46, 100, 101, 200, 201, 400, 600, 701, 711, 720, 800, 801, 802, 803, 804, 805, 900, 909})
    void otherErrorsLeaveTheDeviceUsable(int result) {
        assertThat(CudaErrors.isSticky(result)).isFalse();
        assertThatThrownBy(() -> check(result, "cuEventQuery")).isExactlyInstanceOf(DeviceException.class);
    }

    /** On a machine whose driver is not set up, a new process would find the same error. */
    @Test
    void unknownErrorAtTheStartOfTheDriverIsNoBrokenDevice() {
        assertThatThrownBy(() -> check(999, "cuInit"))
                .isExactlyInstanceOf(DeviceException.class)
                .hasMessageContaining("CUDA_ERROR_UNKNOWN (999): the driver does not start")
                .hasMessageContaining("/dev/nvidia-uvm");
    }

    /** The caller may then use the host without a word. */
    @Test
    void machineWithoutAGpuIsNotABrokenOne() {
        assertThatThrownBy(() -> CudaErrors.check(100, "cuInit", "to find GPUs"))
                .isInstanceOf(NoGpuException.class)
                .hasMessageContaining("it finds no GPU that it may use");
        assertThatThrownBy(() -> CudaErrors.check(999, "cuInit", "to find GPUs"))
                .isNotInstanceOf(NoGpuException.class);
    }
}
