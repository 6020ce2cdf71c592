package io.millrace.device;

import ai.djl.engine.EngineException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The meaning of the training engine's errors for a device: too little memory, or a lost state. Stateless. */
public final class EngineErrors {
    /** Words, in lower case, of errors after which every later call of the process fails, as CUDA's manual says. */
    private static final List<String> WORDS = List.of(
            "illegal memory access",
            "device-side assert",
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

    /** The runtime's names of these errors, in lower case; PyTorch prints them beside its words since 2.9. */
    private static final List<String> NAMES = List.of(
            "cudaerrorillegaladdress",
            "cudaerrorassert",
            "cudaerrorlaunchfailure",
            "cudaerrorillegalinstruction",
            "cudaerrormisalignedaddress",
            "cudaerrorhardwarestackerror",
            "cudaerrorinvalidpc",
            "cudaerrorinvalidaddressspace",
            "cudaerroreccuncorrectable",
            "cudaerrornvlinkuncorrectable",
            "cudaerrorlaunchtimeout",
            "cudaerrorcontextisdestroyed",
            "cudaerrortensormemoryleak",
            "cudaerrorcontained",
            "cudaerrormpsclientterminated",
            "cudaerrorexternaldevice",
            "cudaerrorunknown");

    private static final List<String> MEMORY =
            List.of("out of memory", "alloc_failed", "allocation_failed", "can't allocate memory");

    /**
     * Messages, in lower case, of CUDA's libraries, such as cuBLAS and cuDNN, about a kernel that failed for another
     * reason than memory.
     */
    private static final Pattern LIBRARIES = Pattern.compile("cu[a-z]+_status_(execution_failed|internal_error)");

    private EngineErrors() {}

    /**
     * Translates an engine's failure into a device's failure, if it is one.
     *
     * @param doing the engine's work, as "a step on 64 rows on cuda:0 (NVIDIA H200)"
     * @return a {@link DeviceMemoryException} or {@link DeviceBrokenException}; otherwise the failure itself
     */
    public static RuntimeException translate(EngineException failure, String doing) {
        String message = String.valueOf(failure.getMessage());
        String reason = message.lines().findFirst().orElse("no reason given");
        String lower = message.toLowerCase(Locale.ROOT);
        if (isSticky(lower)) {
            return broken(failure, doing, reason);
        }
        if (MEMORY.stream().anyMatch(lower::contains)) {
            return new DeviceMemoryException(doing + ": the engine found no memory: " + reason, failure);
        }
        return LIBRARIES.matcher(lower).find() ? broken(failure, doing, reason) : failure;
    }

    private static boolean isSticky(String lower) {
        return (lower.contains("cuda error") && WORDS.stream().anyMatch(lower::contains))
                || NAMES.stream().anyMatch(lower::contains);
    }

    private static DeviceBrokenException broken(EngineException failure, String doing, String reason) {
        return new DeviceBrokenException(doing + " failed: " + reason, failure);
    }
}
