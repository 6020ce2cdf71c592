package io.millrace.device;

import ai.djl.engine.EngineException;
import java.util.List;
import java.util.Locale;

/** What the training engine's errors mean for a device: memory that is short, or a state that is lost. Stateless. */
public final class EngineErrors {
    /** After these every later call of the process fails, as CUDA's manual says. In lower case. */
    private static final List<String> STICKY = List.of(
            "illegal memory access",
            "device-side assert",
            "unspecified launch failure",
            "illegal instruction",
            "misaligned address",
            "hardware stack error",
            "invalid program counter",
            "invalid address space",
            "uncorrectable ecc error",
            "launch timed out",
            "context is destroyed");

    private EngineErrors() {}

    /**
     * The failure as a device's, where it is one.
     *
     * @param doing what the engine did, as "a step on 64 rows on cuda:0 (NVIDIA H200)"
     * @return a {@link DeviceMemoryException} or {@link DeviceBrokenException}; else the failure itself
     */
    public static RuntimeException told(EngineException failure, String doing) {
        String message = String.valueOf(failure.getMessage());
        String reason = message.lines().findFirst().orElse("no reason given");
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("cuda error") && STICKY.stream().anyMatch(lower::contains)) {
            return new DeviceBrokenException(
                    doing + " failed: " + reason + ": the device's state is lost, and every later call in this process"
                            + " fails too. The process has to end; the run goes on from its last checkpoint in a new one",
                    failure);
        }
        if (lower.contains("out of memory")
                || lower.contains("alloc_failed")
                || lower.contains("can't allocate memory")) {
            return new DeviceMemoryException(doing + ": the engine found no memory: " + reason, failure);
        }
        return failure;
    }
}
