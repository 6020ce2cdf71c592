package io.millrace.device;

import ai.djl.engine.EngineException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The meaning of the training engine's errors for a device: too little memory, certain or suspected, or a lost state. Stateless.
 */
public final class EngineErrors {
    /** Words, in lower case, of errors after which every later call of the process fails, as CUDA's manual says. */
    private static final List<String> WORDS = List.of(
            "illegal memory access",
            "device-side assert triggered",
            "unspecified launch failure",
            "illegal instruction",
            "misaligned address",
            "hardware stack error",
            "invalid program counter",
            "operation not supported on global/shared address space",
            "uncorrectable ecc error",
            "uncorrectable nvlink error",
            "launch timed out",
            "context is destroyed",
            "invalid access of peer gpu memory over nvlink or a hardware error",
            "unknown error");

    /** The runtime's names of these errors. */
    private static final Set<String> NAMES = Set.of(
            "cudaErrorIllegalAddress",
            "cudaErrorAssert",
            "cudaErrorLaunchFailure",
            "cudaErrorIllegalInstruction",
            "cudaErrorMisalignedAddress",
            "cudaErrorHardwareStackError",
            "cudaErrorInvalidPc",
            "cudaErrorInvalidAddressSpace",
            "cudaErrorECCUncorrectable",
            "cudaErrorNvlinkUncorrectable",
            "cudaErrorLaunchTimeout",
            "cudaErrorContextIsDestroyed",
            "cudaErrorTensorMemoryLeak",
            "cudaErrorContained",
            "cudaErrorMpsClientTerminated",
            "cudaErrorExternalDevice",
            "cudaErrorUnknown");

    /** The beginnings, in lower case, of messages that contain the words of CUDA's runtime or driver. */
    private static final List<String> CUDA = List.of("cuda error: ", "cuda driver error: ");

    private static final List<String> MEMORY =
            List.of("out of memory", "alloc_failed", "allocation_failed", "can't allocate memory");

    /** Messages, in lower case, of CUDA's libraries, such as cuBLAS and cuDNN, about a kernel that failed while it ran. */
    private static final Pattern EXECUTION = Pattern.compile("cu[a-z]+_status_execution_failed");

    /**
     * Messages, in lower case, that users of PyTorch see when memory is nearly full: the libraries then cannot load their
     * kernels, create their handles or allocate the workspace of any kernel. Only seldom there is another reason.
     */
    private static final Pattern SUSPECTED = Pattern.compile("cu[a-z]+_status_(internal_error|not_initialized)"
            + "|unable to find an engine to execute this computation");

    private EngineErrors() {}

    /**
     * Translates an engine's failure into a device's failure, if it is one.
     *
     * @param doing the engine's work, as "a step on 64 rows on cuda:0 (NVIDIA H200)"
     * @return a {@link DeviceMemoryException}, {@link SuspectedMemoryException} or {@link DeviceBrokenException}; an {@link
     *     EngineFailureException} for another failure in a TorchScript module, whose first line does not have the reason;
     *     otherwise the failure itself
     */
    public static RuntimeException translate(EngineException failure, String doing) {
        EngineMessage message = EngineMessage.of(failure.getMessage());
        String reason = message.reason();
        String lower = reason.toLowerCase(Locale.ROOT);
        if (message.names().stream().anyMatch(NAMES::contains) || isSticky(lower)) {
            return broken(failure, doing, reason);
        }
        if (MEMORY.stream().anyMatch(lower::contains)) {
            return new DeviceMemoryException(doing + ": the engine found no memory: " + reason, failure);
        }
        if (EXECUTION.matcher(lower).find()) {
            return broken(failure, doing, reason);
        }
        if (SUSPECTED.matcher(lower).find()) {
            return new SuspectedMemoryException(doing + " failed: " + reason, failure);
        }
        return message.isFromTorchScript()
                ? new EngineFailureException(doing + " failed in TorchScript: " + message.describe(), failure)
                : failure;
    }

    private static boolean isSticky(String lower) {
        return CUDA.stream()
                .filter(lower::contains)
                .map(prefix -> lower.substring(lower.indexOf(prefix) + prefix.length()))
                .anyMatch(words -> WORDS.stream().anyMatch(words::contains));
    }

    private static DeviceBrokenException broken(EngineException failure, String doing, String reason) {
        return new DeviceBrokenException(doing + " failed: " + reason, failure);
    }
}
