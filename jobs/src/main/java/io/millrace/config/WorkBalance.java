package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ranks whose work is to be even in each step.
 *
 * @param ranks the number of ranks
 * @param microBatches the number of micro-batches into which a rank divides its rows of a step
 * @param attention the work of a model for a pair of tokens of a document, as a share of its other work for a token
 */
public record WorkBalance(int ranks, int microBatches, double attention) {
    private static final Option<Integer> RANKS = Option.of("ranks", Types.atLeast(1), "The number of ranks.");
    private static final Option<Integer> MICRO_BATCHES = Option.of(
                    "micro_batches", Types.atLeast(1), "The micro-batches of a rank's rows of a step.")
            .orElse(1);
    private static final Option<Double> ATTENTION = Option.of(
                    "attention",
                    OptionType.NUMBER.where(share -> share >= 0 && Double.isFinite(share), "a number of 0 or more"),
                    "The work for a pair of tokens, as a share of that for a token.")
            .orElse(1.9e-5);
    private static final List<Option<?>> OPTIONS = List.of(RANKS, MICRO_BATCHES, ATTENTION);

    /** The type of an option. */
    static final OptionType<WorkBalance> TYPE = OptionType.of(
                    "ranks | {ranks: 8, micro_batches: 4, attention: 1.9e-5}", WorkBalance::parse)
            .writtenAs(WorkBalance::written);

    private static WorkBalance parse(Object raw) {
        if (raw instanceof Number) {
            return parse(Map.of(RANKS.key(), raw));
        }
        if (!(raw instanceof Map<?, ?> map)) {
            throw OptionType.expected("a number of ranks, or {ranks: 8, micro_batches: 4}", raw);
        }
        OptionValues values = Types.values(OPTIONS, map);
        return new WorkBalance(values.get(RANKS), values.get(MICRO_BATCHES), values.get(ATTENTION));
    }

    private Object written() {
        Map<String, Object> written = new LinkedHashMap<>();
        written.put(RANKS.key(), ranks);
        written.put(MICRO_BATCHES.key(), microBatches);
        written.put(ATTENTION.key(), attention);
        return written;
    }
}
