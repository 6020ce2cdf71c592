package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/** The conversion of the items of a dataset to samples. */
final class ItemSamples {
    private final String name;
    private final Labels labels;
    private final Map<String, FieldSource> sources = new LinkedHashMap<>();

    ItemSamples(DatasetTask task, Labels labels) {
        this.name = task.call();
        this.labels = labels;
        task.fields().ifPresent(chosen -> chosen.forEach(source -> sources.put(source.name(), source)));
    }

    /** Returns the place of an item, for messages. */
    ValuePlace place(long index) {
        return new ValuePlace(name, index, -1);
    }

    /**
     * Returns the sample of an item that is done. Its fields are in the order of the item's values. A label is also the field {@code
     * label}, which the run takes away when it has settled the fields.
     */
    Sample of(long index, ItemReply reply) throws BadSampleException {
        Sample sample = new Sample(index, name, index, Labels.NONE);
        for (ItemReply.Value value : reply.values()) {
            if (value.name().equals(FieldSource.LABEL) && isLabel(value)) {
                Field field = value.field();
                sample.relabel(
                        value.form() == ItemForm.TEXT
                                ? labels.of(field.data(), place(index))
                                : labels.of(field.dtype(), field.shape(), field.data(), place(index)));
                sample.put(FieldSource.LABEL, label(sample.label()));
            } else {
                sample.put(value.name(), field(value, place(index)));
            }
        }
        return sample;
    }

    /** Returns whether a value is the number or the name of a class, and not a field of this name. */
    private boolean isLabel(ItemReply.Value value) {
        DType dtype = value.field().dtype();
        return value.form() == ItemForm.TEXT
                ? !labels.classes().isEmpty()
                : value.form() == ItemForm.NUMBERS
                        && !dtype.isFloat()
                        && value.field().bytes() == dtype.bytes();
    }

    private static Field label(long label) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return Field.of(DType.INT64, new int[0], number.putLong(0, label).array());
    }

    private Field field(ItemReply.Value value, ValuePlace place) throws BadSampleException {
        FieldSource source = sources.get(value.name());
        As as = source == null ? As.AUTO : source.as();
        if (as == As.AUTO) {
            as = switch (value.form()) {
                case IMAGE -> As.IMAGE;
                case MASK -> As.MASK;
                default -> As.AUTO;
            };
        }
        FieldSource made = source == null
                ? new FieldSource(value.name(), value.name(), as)
                : new FieldSource(value.name(), source.from(), as, source.annotation());
        return switch (value.form()) {
            case TEXT -> FieldValues.text(made, value.field().data(), place);
            case BYTES -> FieldValues.bytes(made, value.field().data(), place);
            case NUMBERS, IMAGE, MASK -> FieldValues.numbers(made, value.field(), place);
        };
    }
}
