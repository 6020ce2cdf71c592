package io.millrace.config;

import io.millrace.option.Option;
import java.util.List;
import java.util.Optional;

/**
 * Tuning of the source; what is absent is the source's choice.
 *
 * @param range samples that are handed to a reader at a time
 * @param window ranges that may be begun while the lowest is unfinished
 * @param readAhead ranges that a reader reads beyond the one that it emits
 * @param threads that read in each reader
 */
public record ReadConfig(
        Optional<Integer> range, Optional<Integer> window, Optional<Integer> readAhead, Optional<Integer> threads) {
    private static final String CHOSEN = " Default: chosen by the size of a sample and of a batch.";

    static final Option<Integer> RANGE = Option.of(
                    "range", Types.atLeast(1), "Samples handed to a reader at a time." + CHOSEN)
            .optional();
    static final Option<Integer> WINDOW = Option.of(
                    "window", Types.atLeast(1), "Ranges that may be begun while the lowest is unfinished." + CHOSEN)
            .optional();
    static final Option<Integer> READ_AHEAD = Option.of(
                    "read_ahead", Types.atLeast(1), "Ranges that a reader reads beyond the one that it emits." + CHOSEN)
            .optional();
    static final Option<Integer> THREADS = Option.of(
                    "threads", Types.between(1, 1024), "Threads that read, in each reader." + CHOSEN)
            .optional();
    static final List<Option<?>> OPTIONS = List.of(RANGE, WINDOW, READ_AHEAD, THREADS);
}
