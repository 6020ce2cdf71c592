package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.engine.EngineException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The translation of PyTorch's messages about a failed device. */
class EngineErrorsTest {
    private static final String DOING = "a step on 64 rows on cuda:0";

    private static RuntimeException translated(String message) {
        return EngineErrors.translate(new EngineException(message), DOING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported",
                "CUDA error: device-side assert triggered",
                "CUDA error: unspecified launch failure",
                "CUDA error: operation not supported on global/shared address space",
                "CUDA error: Invalid access of peer GPU memory over nvlink or a hardware error",
                "CUDA error: uncorrectable NVLink error detected during the execution",
                "CUDA error: unknown error",
                "CUDA error: something new\nSearch for `cudaErrorTensorMemoryLeak' in"
                        + " https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
                "AcceleratorError: cudaErrorIllegalAddress",
                "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
                "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED_CUDART",
                "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR",
                "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k)`",
                "CUDA error: CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasCreate(handle)`"
            })
    void stickyErrorsRequireTheProcessToEnd(String message) {
        assertThat(translated(message))
                .isInstanceOf(DeviceBrokenException.class)
                .hasMessageStartingWith(
                        DOING + " failed: " + message.lines().findFirst().orElseThrow())
                .hasMessageContaining("The process has to end")
                .hasCauseInstanceOf(EngineException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.81 GiB",
                "CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation' in https://docs.nvidia.com",
                "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
                "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
                "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER: CUDA ran out of memory",
                "[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory: you tried 8 bytes"
            })
    void messagesAboutMemoryAreRecognized(String message) {
        assertThat(translated(message))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageContaining("found no memory");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mat1 and mat2 shapes cannot be multiplied (64x10 and 12x3)",
                "an internal error of a model, which met an unknown error",
                "CUDA error: no kernel image is available for execution on the device\nSearch for"
                        + " `cudaErrorNoKernelImageForDevice' in https://docs.nvidia.com",
                "CUDA error: invalid configuration argument",
                "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasLtMatmul`"
            })
    void otherFailuresAreUnchanged(String message) {
        EngineException failure = new EngineException(message);
        assertThat(EngineErrors.translate(failure, DOING)).isSameAs(failure);
    }

    @Test
    void failureWithoutAMessageIsUnchanged() {
        EngineException failure = new EngineException(new IllegalStateException());
        assertThat(EngineErrors.translate(failure, DOING)).isSameAs(failure);
    }
}
