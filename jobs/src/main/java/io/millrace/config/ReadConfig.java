package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import java.util.Optional;

/**
 * The tuning of the source. The source chooses each value that is absent.
 *
 * @param range the number of samples in a range
 * @param window the number of ranges that may be begun while the lowest one is unfinished
 * @param readAhead the number of ranges that a reader reads beyond the one that it emits
 * @param threads the number of reading threads in each reader
 */
public record ReadConfig(
        Optional<Integer> range, Optional<Integer> window, Optional<Integer> readAhead, Optional<Integer> threads) {
    private static final String CHOSEN = " Default: chosen by the size of a sample and of a batch.";

    static final Option<Object> SECTION = Option.of("read", Types.structure("section"), "Tuning of the source.")
            .optional();
    static final Option<Integer> RANGE = Option.of(
                    "range", Types.atLeast(1), "The number of samples that a reader receives at a time." + CHOSEN)
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> WINDOW = Option.of(
                    "window",
                    Types.atLeast(1),
                    "The number of ranges that readers may begin while the lowest range is unfinished." + CHOSEN)
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> READ_AHEAD = Option.of(
                    "read_ahead",
                    Types.atLeast(1),
                    "The number of ranges that a reader reads ahead of the range that it emits." + CHOSEN)
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Integer> THREADS = Option.of(
                    "threads", Types.between(1, 1024), "The number of reading threads in each reader." + CHOSEN)
            .optional()
            .decides(Identity.NOTHING);
    static final Bound<ReadConfig> KEYS = Bound.of(ReadConfig.class);
}
