package io.millrace.config;

import io.millrace.option.Option;
import java.util.List;
import java.util.Optional;

/**
 * Tuning of the source; what is absent is the source's choice.
 *
 * @param range samples handed to a reader at a time
 * @param window samples that may be on their way beyond the oldest unfinished one
 * @param readAhead samples that a reader reads before they are asked for
 * @param threads that read ahead in each reader
 */
public record ReadConfig(
        Optional<Integer> range, Optional<Integer> window, Optional<Integer> readAhead, Optional<Integer> threads) {
    static final Option<Integer> RANGE = Option.of(
                    "range", Types.atLeast(1), "Samples handed to a reader at a time. Default: the source chooses.")
            .optional();
    static final Option<Integer> WINDOW = Option.of(
                    "window",
                    Types.atLeast(1),
                    "Samples on their way beyond the oldest unfinished one. Default: the source chooses.")
            .optional();
    static final Option<Integer> READ_AHEAD = Option.of(
                    "read_ahead",
                    Types.atLeast(0),
                    "Samples that a reader reads before they are asked for. Default: the source chooses.")
            .optional();
    static final Option<Integer> THREADS = Option.of(
                    "threads",
                    Types.between(1, 1024),
                    "Threads that read ahead, in each reader. Default: the source chooses.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(RANGE, WINDOW, READ_AHEAD, THREADS);
}
