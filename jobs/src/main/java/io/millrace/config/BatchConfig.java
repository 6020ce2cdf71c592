package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;

/**
 * What one training step consumes.
 *
 * @param size rows
 * @param dropLast whether an epoch's last batch is left out when it is short
 * @param maxQuarantined the share of bad samples, 0 to 1, above which the job fails
 */
public record BatchConfig(int size, boolean dropLast, double maxQuarantined) {
    static final Option<Integer> SIZE =
            Option.of("size", Types.atLeast(1), "Rows of a batch.").orElse(64);
    static final Option<Boolean> DROP_LAST = Option.of(
                    "drop_last", OptionType.BOOLEAN, "Leave out an epoch's last batch when it has fewer rows.")
            .orElse(false);
    static final Option<Double> MAX_QUARANTINED = Option.of(
                    "max_quarantined", OptionType.SHARE, "The share of bad samples above which the job fails.")
            .orElse(0.001);
    static final List<Option<?>> OPTIONS = List.of(SIZE, DROP_LAST, MAX_QUARANTINED);
}
