package io.millrace.config;

import io.millrace.option.ByteSize;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Optional;

/**
 * The choice of a GPU, and the page-locked memory from which micro-batches are copied to it. Its keys are in the section
 * {@code device}; the host ignores them.
 *
 * @param index the number of the GPU, from 0; empty for a GPU that no other trainer of the machine uses
 * @param pinnedLimit the largest amount of page-locked memory in a process, 0 for none
 */
public record GpuConfig(Optional<Integer> index, Pinned pinned, ByteSize pinnedLimit) {
    /** The handling of micro-batches for which no page-locked memory is left. */
    public enum Pinned {
        /** They use other memory, which is slower to copy from, and a warning is logged. */
        PREFER,
        /** The run fails. */
        REQUIRE
    }

    private static final ByteSize DEFAULT_LIMIT = new ByteSize(1L << 30);

    /** The defaults of the keys. */
    public static final GpuConfig DEFAULT = new GpuConfig(Optional.empty(), Pinned.PREFER, DEFAULT_LIMIT);

    static final Option<Integer> INDEX = Option.of(
                    "index",
                    Types.between(0, 1023),
                    "The number of the GPU among those that CUDA lists. Default: a GPU that no other trainer of the machine"
                            + " uses, preferably the one that Flink assigns to the trainer (external-resource.gpu).")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Pinned> PINNED = Option.of(
                    "pinned",
                    OptionType.choice(Pinned.class),
                    "Micro-batches are copied to a GPU from page-locked memory. If there is not enough page-locked"
                            + " memory, prefer uses other memory and logs a warning, and require makes the run fail.")
            .orElse(Pinned.PREFER)
            .decides(Identity.NOTHING);
    static final Option<ByteSize> PINNED_LIMIT = Option.of(
                    "pinned_limit",
                    ByteSize.TYPE,
                    "The limit of the memory that a process page-locks for micro-batches; 0: none.")
            .orElse(DEFAULT_LIMIT)
            .decides(Identity.NOTHING);
    static final Bound<GpuConfig> KEYS = Bound.of(GpuConfig.class);

    /** Reports the settings that require a GPU, for a run that simulates a device and does not name the host. */
    void rejectWithoutGpu(Section device) {
        String reason = "a simulated device uses no GPU: remove this key, or set kind: host, which ignores it";
        if (index.isPresent()) {
            device.report(INDEX, reason);
        }
        if (pinned == Pinned.REQUIRE) {
            device.report(PINNED, reason);
        }
    }
}
