package io.millrace.config;

import io.millrace.option.ByteSize;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which GPU, and the page-locked memory that micro-batches reach it from; the host needs neither.
 *
 * @param index from 0; empty: the one that the cluster gives to the trainer, or else by its rank
 * @param pinnedLimitBytes the most memory that is page-locked in a process, 0 for none
 */
public record GpuConfig(Optional<Integer> index, Pinned pinned, long pinnedLimitBytes) {
    /** What becomes of micro-batches that find no page-locked memory. */
    public enum Pinned {
        /** They take other memory, with a warning: slower to copy from. */
        PREFER,
        /** The run fails. */
        REQUIRE
    }

    static final long DEFAULT_LIMIT_BYTES = 1L << 30;

    /** What the keys default to. */
    public static final GpuConfig DEFAULT = new GpuConfig(Optional.empty(), Pinned.PREFER, DEFAULT_LIMIT_BYTES);

    static final Option<Integer> INDEX = Option.of(
                    "index",
                    Types.between(0, 1023),
                    "Which GPU, as CUDA counts those that are visible. Default: the one that Flink gives to the trainer"
                            + " (external-resource.gpu), or else by its rank.")
            .optional();
    static final Option<Pinned> PINNED = Option.of(
                    "pinned",
                    OptionType.choice(Pinned.class),
                    "Micro-batches reach a GPU from page-locked memory: prefer takes other memory with a warning where there"
                            + " is not enough, require fails.")
            .orElse(Pinned.PREFER);
    static final Option<ByteSize> PINNED_LIMIT = Option.of(
                    "pinned_limit",
                    ByteSize.TYPE,
                    "The most memory that a process page-locks for micro-batches on their way to a GPU; 0 for none.")
            .orElse(new ByteSize(DEFAULT_LIMIT_BYTES));
    static final List<Option<?>> OPTIONS = List.of(INDEX, PINNED, PINNED_LIMIT);

    static GpuConfig read(Section section) {
        return new GpuConfig(
                section.find(INDEX),
                section.get(PINNED),
                section.get(PINNED_LIMIT).bytes());
    }

    /** As a pipeline file has it. */
    Map<String, Object> written() {
        Map<String, Object> written = new LinkedHashMap<>();
        index.ifPresent(number -> written.put(INDEX.key(), number));
        written.put(PINNED.key(), WrittenConfig.word(pinned));
        written.put(PINNED_LIMIT.key(), new ByteSize(pinnedLimitBytes).toString());
        return written;
    }
}
