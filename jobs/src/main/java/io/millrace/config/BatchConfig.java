package io.millrace.config;

import io.millrace.batch.Form;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The batch that one training step consumes.
 *
 * @param size the number of rows, at least 1
 * @param dropLast whether an epoch's last batch is left out when it is short
 * @param maxQuarantined the share of bad samples, 0 to 1, above which the job fails
 * @param fields the fields that the trainer receives; empty for the fields that it uses
 * @param forms the form on the wire by field; a field without an entry has the form of {@code fields}, or that which suits its kind
 * @param wire the wire type by field; fields without an entry have {@link WireType#AUTO}
 */
public record BatchConfig(
        int size,
        boolean dropLast,
        double maxQuarantined,
        List<WireField> fields,
        Map<String, Form> forms,
        Map<String, WireType> wire)
        implements PipelineConfig.Part {
    static final Option<Object> SECTION = Option.of(
                    "batch", Types.structure("section"), "The batch that one training step consumes.")
            .optional();
    static final Option<Integer> SIZE = Option.of("size", Types.atLeast(1), "Rows of a batch.")
            .orElse(64)
            .decides(Identity.BATCHES)
            .alsoCalled("batch_size", "bs");
    static final Option<Boolean> DROP_LAST = Option.of(
                    "drop_last",
                    OptionType.BOOLEAN,
                    "Whether to drop the last batch of an epoch when it has fewer rows than size.")
            .orElse(false)
            .decides(Identity.BATCHES);
    static final Option<Double> MAX_QUARANTINED = Option.of(
                    "max_quarantined", OptionType.SHARE, "The share of bad samples above which the job fails.")
            .orElse(0.001)
            .decides(Identity.NOTHING);
    static final Option<List<WireField>> FIELDS = Option.of(
                    "fields",
                    WireField.TYPE,
                    "The fields that the trainer receives: [image, mask], or with their form: {image: auto, mask: bits}."
                            + " dense: rows of equal length; bits: zeros and ones, 8 in a byte; ragged: rows of different"
                            + " length, without padding; sparse: the values that are not 0, with their positions; auto:"
                            + " ragged for fields whose length differs between samples, bits for booleans, otherwise dense."
                            + " all: every field that the samples have after their transforms. Default: train.input and"
                            + " train.target; with serve, all.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<Map<String, Form>> FORMS = Option.of(
                    "forms",
                    WireField.FORMS,
                    "The forms of some fields, as in {boxes: ragged}. They do not change which fields are sent. See fields.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<Map<String, WireType>> WIRE = Option.of(
                    "wire",
                    WireType.TYPE,
                    "The type in which a field's values cross the network, as in {weights: float16}. auto, which also"
                            + " applies to fields without an entry: booleans as bits, class numbers as the narrowest"
                            + " integers that hold all of them, float64 as float32 where training uses float32,"
                            + " everything else as the transforms leave it (plain). ids: class numbers, whose count is"
                            + " the number of the model's outputs or the given number, as in {ids: 1000}. float16 and"
                            + " bfloat16 round. A sample with a value that does not fit the type is quarantined.")
            .optional()
            .decides(Identity.BATCHES);
    static final Bound<BatchConfig> KEYS = Bound.of(BatchConfig.class);

    /** The setting of a pipeline that sends all fields. */
    static final String ALL_FIELDS = "batch.fields=all";

    /** Returns whether the file names the fields to send, or has something else than a section {@code batch} in its place. */
    static boolean namesFields(Tree.Mapping root) {
        return root.names(SECTION.key(), FIELDS.key());
    }

    public BatchConfig {
        fields = List.copyOf(fields);
        forms = Collections.unmodifiableMap(new LinkedHashMap<>(forms));
        wire = Collections.unmodifiableMap(new LinkedHashMap<>(wire));
    }

    /** Returns the same batch with another number of rows. */
    public BatchConfig withSize(int rows) {
        return new BatchConfig(rows, dropLast, maxQuarantined, fields, forms, wire);
    }

    /** Returns the same batch, also of the last rows of an epoch. */
    public BatchConfig withEveryRow() {
        return new BatchConfig(size, false, maxQuarantined, fields, forms, wire);
    }

    /** Returns the same batch with other fields. */
    public BatchConfig withFields(List<WireField> others) {
        return new BatchConfig(size, dropLast, maxQuarantined, others, forms, wire);
    }

    /** Returns the wire type of a field. */
    public WireType wireType(String field) {
        return wire.getOrDefault(field, WireType.AUTO);
    }
}
