package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.engine.EngineException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The translation of PyTorch's messages about a failed device. The messages are complete: what release builds of
 * PyTorch 2.7 to 2.13 put around an error is part of them, as the sources of {@code c10::Error} and {@code
 * c10_cuda_check_implementation} show.
 */
class EngineErrorsTest {
    private static final String DOING = "a step on 64 rows on cuda:0";

    private static final String STACK = """

            Exception raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 (most recent call first):
            frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7fd2c04b9446 in /opt/torch/lib/libc10.so)
            frame #1: c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&) + 0x64 (0x7fd2c04636e4 in /opt/torch/lib/libc10.so)
            frame #2: c10::cuda::c10_cuda_check_implementation(int, char const*, char const*, int, bool) + 0x118 (0x7fd2c05a5a18 in /opt/torch/lib/libc10_cuda.so)
            frame #3: c10::cuda::unknown error::device-side assert triggered(int) + 0x62 (0x7f55c1732542 in /opt/torch/lib/libc10_cuda.so)
            """;

    private static RuntimeException translated(String message) {
        return EngineErrors.translate(new EngineException(message), DOING);
    }

    /** Returns a CUDA error as PyTorch 2.7 prints it. */
    private static String before29(String words) {
        return "CUDA error: " + words + """

                CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
                For debugging consider passing CUDA_LAUNCH_BLOCKING=1
                Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
                """ + STACK;
    }

    /** Returns a CUDA error as PyTorch prints it since 2.9. */
    private static String since29(String words, String name) {
        return "CUDA error: " + words + "\nSearch for `" + name + """
                ' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.
                CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
                For debugging consider passing CUDA_LAUNCH_BLOCKING=1
                Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
                """ + STACK;
    }

    /** Returns an error within a TorchScript module as PyTorch prints it. */
    private static String script(String error) {
        return """
                The following operation failed in the TorchScript interpreter.
                Traceback of TorchScript, serialized code (most recent call last):
                  File "code/__torch__.py", line 18, in forward
                    fc1 = self.fc1
                    _0 = (relu1).forward((fc1).forward(x, ), )
                                          ~~~~~~~~~~~~ <--- HERE
                  File "code/__torch__/torch/nn/modules/linear.py", line 12, in forward
                    weight = self.weight
                    return torch.linear(x, weight, bias)
                           ~~~~~~~~~~~~ <--- HERE

                Traceback of TorchScript, original code (most recent call last):
                  File "model.py", line 31, in forward
                        return self.head(self.relu(self.fc1(x)))
                                                   ~~~~~~~~ <--- HERE
                  File "/opt/torch/nn/modules/linear.py", line 125, in forward
                        return F.linear(input, self.weight, self.bias)
                               ~~~~~~~~ <--- HERE
                RuntimeError:""" + " " + error + "\n";
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
                "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k)`"
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
                "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
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
                "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR",
                "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION",
                "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
                "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
                "CUDA error: CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasCreate(handle)`",
                "cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`",
                "GET was unable to find an engine to execute this computation",
                "FIND was unable to find an engine to execute this computation"
            })
    void errorsThatOftenMeanFullMemoryAreSuspected(String message) {
        for (String complete : new String[] {message, message + STACK, script(message)}) {
            assertThat(translated(complete))
                    .isInstanceOf(SuspectedMemoryException.class)
                    .hasMessage(DOING + " failed: " + message
                            + ": CUDA's libraries often report too little free memory of the device in this way, for"
                            + " example when they load a kernel or allocate their workspace")
                    .hasCauseInstanceOf(EngineException.class);
        }
    }

    /** A sticky error that PyTorch reports beside a library's says more than the library's. */
    @Test
    void stickyErrorWinsOverASuspectedOne() {
        assertThat(translated("CUDA error: unspecified launch failure (after CUBLAS_STATUS_INTERNAL_ERROR)"))
                .isInstanceOf(DeviceBrokenException.class);
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

    /**
     * Every CUDA error of a release build ends with advice to enable device-side assertions. With a new TaskManager
     * these errors would occur again, and again.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no kernel image is available for execution on the device",
                "invalid configuration argument",
                "invalid argument",
                "invalid device ordinal",
                "operation not permitted when stream is capturing",
                "CUDA driver version is insufficient for CUDA runtime version",
                "the provided PTX was compiled with an unsupported toolchain."
            })
    void completeMessagesOfOtherErrorsAreUnchanged(String words) {
        for (String message : new String[] {before29(words), since29(words, "cudaErrorInvalidConfiguration")}) {
            EngineException failure = new EngineException(message);
            assertThat(EngineErrors.translate(failure, DOING)).isSameAs(failure);
        }
    }

    @Test
    void completeMessagesAboutMemoryAreRecognized() {
        for (String message : new String[] {
            before29("out of memory"),
            since29("out of memory", "cudaErrorMemoryAllocation"),
            "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 3.00 GiB"
                    + " is free. Process 4711 has 136.80 GiB memory in use. Of the allocated memory 130.00 GiB is"
                    + " allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated. If reserved but"
                    + " unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid"
                    + " fragmentation.  See documentation for Memory Management"
                    + "  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)" + STACK,
            script("CUDA out of memory. Tried to allocate 432.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 0"
                    + " bytes is free."),
            script("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")
        }) {
            assertThat(translated(message))
                    .as(message)
                    .isInstanceOf(DeviceMemoryException.class)
                    .hasMessageStartingWith(DOING + ": the engine found no memory: CUDA")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void completeMessagesOfStickyErrorsRequireTheProcessToEnd() {
        for (String message : new String[] {
            before29("an illegal memory access was encountered"),
            before29("device-side assert triggered"),
            since29("an illegal memory access was encountered", "cudaErrorIllegalAddress"),
            since29("words of a later version", "cudaErrorTensorMemoryLeak"),
            "CUDA driver error: unknown error" + STACK,
            script(before29("device-side assert triggered")),
            script(since29("words of a later version", "cudaErrorContained")),
            script(script("CUDA error: unspecified launch failure"))
        }) {
            assertThat(translated(message))
                    .as(message)
                    .isInstanceOf(DeviceBrokenException.class)
                    .hasMessageStartingWith(DOING + " failed: CUDA ")
                    .hasMessageNotContaining("\n");
        }
    }

    /** The frames of the stack and a module's code contain arbitrary names. */
    @Test
    void onlyTheLineOfTheErrorIsJudged() {
        String message = before29("invalid argument") + "\nSearch for `cudaErrorUnknown' in https://docs.nvidia.com";
        EngineException failure = new EngineException(message);
        assertThat(EngineErrors.translate(failure, DOING)).isSameAs(failure);
        assertThat(translated(script("no memory here")
                        .replace("F.linear(input", "F.linear('CUDA error: unknown error, out of memory'")))
                .isInstanceOf(EngineFailureException.class);
    }

    @Test
    void reasonOfAFailureWithinTorchScriptIsShownFirst() {
        assertThat(translated(script("mat1 and mat2 shapes cannot be multiplied (64x10 and 12x3)")))
                .isInstanceOf(EngineFailureException.class)
                .hasMessage(DOING + " failed in TorchScript: mat1 and mat2 shapes cannot be multiplied (64x10 and 12x3)"
                        + " (line 125, in forward: return F.linear(input, self.weight, self.bias))")
                .hasCauseInstanceOf(EngineException.class);
        assertThat(translated(script(before29("no kernel image is available for execution on the device"))))
                .isInstanceOf(EngineFailureException.class)
                .hasMessageStartingWith(DOING + " failed in TorchScript: CUDA error: no kernel image is available");
    }

    @Test
    void exceptionThatAModuleRaisesIsShown() {
        String message = """
                The following operation failed in the TorchScript interpreter.
                Traceback of TorchScript (most recent call last):
                  File "model.py", line 7, in forward
                        raise ValueError("expected 3 channels: found 1")
                        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE
                builtins.ValueError: expected 3 channels: found 1
                """;
        assertThat(translated(message))
                .hasMessageStartingWith(
                        DOING + " failed in TorchScript: expected 3 channels: found 1 (line 7, in forward");
    }

    /** The check of a device runs a TorchScript module. With {@code kind: auto}, the caller then uses the host. */
    @Test
    void engineThatCannotUseADeviceIsNotABrokenDevice() {
        String words = "no kernel image is available for execution on the device";
        for (String message : new String[] {before29(words), script(before29(words))}) {
            assertThatThrownBy(() -> CudaDevice.onEngine(
                            () -> {
                                throw new EngineException(message);
                            },
                            "cuda:0 (Stub GPU 0)"))
                    .isExactlyInstanceOf(DeviceException.class)
                    .hasMessage("the training engine cannot use cuda:0 (Stub GPU 0): CUDA error: " + words);
        }
    }

    /** A module that was traced has no code of its own, and its lines have another form. */
    @Test
    void tracebackOfATracedModuleIsSkipped() {
        String message = """
                The following operation failed in the TorchScript interpreter.
                Traceback of TorchScript (most recent call last):
                <string>(21): v2
                /opt/torch/jit/_trace.py(866): trace
                model.py(456): main
                RuntimeError: CUDA error: misaligned address
                """;
        assertThat(translated(message))
                .isInstanceOf(DeviceBrokenException.class)
                .hasMessageStartingWith(DOING + " failed: CUDA error: misaligned address");
    }

    @Test
    void unknownFormOfAFailureWithinTorchScriptIsShownAsItIs() {
        String message = "The following operation failed in the TorchScript interpreter.\nTraceback of something new";
        assertThat(translated(message)).hasMessageContaining("The following operation failed");
    }

    @Test
    void failureWithoutAMessageIsUnchanged() {
        EngineException failure = new EngineException(new IllegalStateException());
        assertThat(EngineErrors.translate(failure, DOING)).isSameAs(failure);
    }
}
