package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one training step consumes.
 *
 * @param size rows
 * @param dropLast whether an epoch's last batch is left out when it is short
 * @param maxQuarantined the share of bad samples, 0 to 1, above which the job fails
 * @param fields what is sent to the trainer; empty: what it uses
 * @param wire by field, in which type it travels; fields that are not named: {@link WireType#AUTO}
 */
public record BatchConfig(
        int size, boolean dropLast, double maxQuarantined, List<WireField> fields, Map<String, WireType> wire) {
    static final Option<Integer> SIZE =
            Option.of("size", Types.atLeast(1), "Rows of a batch.").orElse(64);
    static final Option<Boolean> DROP_LAST = Option.of(
                    "drop_last", OptionType.BOOLEAN, "Leave out an epoch's last batch when it has fewer rows.")
            .orElse(false);
    static final Option<Double> MAX_QUARANTINED = Option.of(
                    "max_quarantined", OptionType.SHARE, "The share of bad samples above which the job fails.")
            .orElse(0.001);
    static final Option<List<WireField>> FIELDS = Option.of(
                    "fields",
                    WireField.TYPE,
                    "What is sent to the trainer: [image, mask], or with how: {image: auto, mask: bits}. dense: rows of one"
                            + " length; bits: zeros and ones, 8 to a byte; ragged: rows of different length, without"
                            + " padding; sparse: what is not 0, with its place; auto: ragged for text and the like, bits"
                            + " for truth values, else dense. Default: train.input and train.target.")
            .optional();
    static final Option<Map<String, WireType>> WIRE = Option.of(
                    "wire",
                    WireType.TYPE,
                    "In which type the fields' values travel, as {weights: float16}. auto, also for fields that are not named:"
                            + " truth values as bits, class numbers as the narrowest whole numbers that have all of them,"
                            + " float64 as float32 where training takes that, all else as the transforms leave it (plain)."
                            + " ids: class numbers, as many as training tells apart or {ids: number}. float16 and bfloat16"
                            + " round; what does not fit otherwise is quarantined.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(SIZE, DROP_LAST, MAX_QUARANTINED, FIELDS, WIRE);

    public BatchConfig {
        fields = List.copyOf(fields);
        wire = Collections.unmodifiableMap(new LinkedHashMap<>(wire));
    }

    /** What the trainer uses is sent. */
    public BatchConfig(int size, boolean dropLast, double maxQuarantined) {
        this(size, dropLast, maxQuarantined, List.of(), Map.of());
    }

    /** In which type a field travels. */
    public WireType wireType(String field) {
        return wire.getOrDefault(field, WireType.AUTO);
    }
}
