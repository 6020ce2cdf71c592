package io.millrace.pipeline;

import io.millrace.batch.Form;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RankConfig;
import io.millrace.config.WireType;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.train.FieldUse;
import io.millrace.train.input.ClassRange;
import io.millrace.train.spec.Component;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The choice of the form and the type of a field on the wire. A choice of this class never changes the values that
 * training uses, but types that the pipeline file names may round them. Pure.
 */
final class WireTypes {
    private final PipelineConfig config;
    private final List<Component> models;

    /** Creates the choice for the models of a pipeline; {@code classes} is the number of the labels' classes. */
    WireTypes(PipelineConfig config, int classes) {
        this.config = config;
        this.models = Stream.concat(
                        Stream.of(config.train().recipe().model()),
                        config.train().trainers().own().stream()
                                .map(RankConfig::model)
                                .flatMap(Optional::stream))
                .map(model -> Sinks.model(model, config.train().roles(), classes))
                .toList();
    }

    /**
     * The choice for a field.
     *
     * @param dtype the type of the elements on the wire
     */
    record Chosen(Form form, DType dtype, FieldUse use, String reason) {}

    /**
     * Chooses the form and type of a field.
     *
     * @param requested the form in {@code batch.fields}
     * @throws PipelineException when the form and the type in the file contradict each other, or when one of them does
     *     not suit the field
     */
    Chosen choose(String name, Field field, Optional<Form> requested) throws PipelineException {
        WireType wire = config.batch().wireType(name);
        boolean bits = wire.kind() == WireType.Kind.BITS;
        if (requested.isPresent() && (requested.get() == Form.BITS ? notBits(wire.kind()) : bits)) {
            throw new PipelineException("batch.fields sends '" + name + "' " + WireReasons.form(requested.get())
                    + ", but batch.wire as " + wire + ": set only one of them");
        }
        Form form = bits ? Form.BITS : requested.orElseGet(() -> suited(field, wire.kind()));
        if (bits && field.kind().varies()) {
            throw new PipelineException("'" + name + "' is sent as bits, but its length differs from sample to sample:"
                    + " expected another type, or a field of one shape");
        }
        if (form == Form.SPARSE && field.kind().varies()) {
            throw new PipelineException(
                    "batch.fields sends '" + name + "' sparse, but its length differs from sample to"
                            + " sample: expected ragged, or a field of one shape");
        }
        FieldUse use = FieldUse.of(
                name,
                field.dtype(),
                form,
                config.train().roles(),
                config.device().transforms(),
                config.train().recipe().loss(),
                models);
        DType dtype = dtype(name, field.dtype(), form, wire, use);
        boolean itself = requested.isEmpty() && wire.kind() == WireType.Kind.AUTO;
        String by = wire.kind() != WireType.Kind.AUTO ? "batch.wire" : "batch.fields";
        String reason = itself || (requested.isPresent() && form == Form.DENSE && wire.kind() == WireType.Kind.AUTO)
                ? WireReasons.reason(form, field.dtype(), use)
                : "as " + by + " requests";
        return new Chosen(form, dtype, use, reason);
    }

    private static boolean notBits(WireType.Kind kind) {
        return kind != WireType.Kind.AUTO && kind != WireType.Kind.BITS;
    }

    private static Form suited(Field field, WireType.Kind wire) {
        if (field.kind().varies()) {
            return Form.RAGGED;
        }
        return field.dtype() == DType.BOOL && wire == WireType.Kind.AUTO ? Form.BITS : Form.DENSE;
    }

    private static DType dtype(String name, DType from, Form form, WireType wire, FieldUse use)
            throws PipelineException {
        if (form == Form.BITS) {
            return bits(name, from, wire);
        }
        return switch (wire.kind()) {
            case AUTO -> suited(from, use);
            case PLAIN -> from;
            case UINT8 -> DType.UINT8;
            case FLOAT16 -> floats(name, DType.FLOAT16, use);
            case BFLOAT16 -> floats(name, DType.BFLOAT16, use);
            case FLOAT32 -> floats(name, DType.FLOAT32, use);
            case IDS -> ids(name, from, wire, use);
            case BITS -> throw new IllegalStateException("bits are a form");
        };
    }

    /**
     * Returns the type of a column of bits. If {@code batch.wire} requests bits, other numbers are first converted to
     * bytes, and a sample with a value that is not exact as a byte is quarantined.
     */
    private static DType bits(String name, DType from, WireType wire) throws PipelineException {
        if (from == DType.BOOL || from == DType.UINT8 || wire.kind() == WireType.Kind.BITS) {
            return from == DType.BOOL ? DType.BOOL : DType.UINT8;
        }
        throw new PipelineException("column '" + name + "' of " + from
                + " cannot be sent as bits by batch.fields: expected BOOL, or UINT8 that is 0 or 1. Other numbers that are"
                + " 0 or 1 can by batch: {wire: {" + name + ": bits}}");
    }

    /** Returns the narrowest type whose values are the same to training. */
    private static DType suited(DType from, FieldUse use) {
        return switch (use.kind()) {
            case FLOATS -> from == DType.FLOAT64 ? DType.FLOAT32 : from;
            case CLASSES ->
                from.isFloat() ? from : narrowest(from, use.classes().orElseThrow());
            case UNCHANGED, UNUSED -> from;
        };
    }

    private static DType floats(String name, DType requested, FieldUse use) throws PipelineException {
        if (use.kind() == FieldUse.Kind.CLASSES) {
            throw new PipelineException("batch.wire sends '" + name + "' as " + requested.word()
                    + ", but it holds class numbers: expected uint8, bits, ids, plain or auto");
        }
        return requested;
    }

    private static DType ids(String name, DType from, WireType wire, FieldUse use) throws PipelineException {
        if (from.isFloat()) {
            throw new PipelineException(
                    "batch.wire sends '" + name + "' as ids, but it is " + from.word() + ": expected whole numbers");
        }
        if (wire.ids().isPresent()) {
            // Class numbers begin at 0, so the last class number is one less than the number of classes.
            return narrowest(from, new ClassRange(1, OptionalLong.of(wire.ids().getAsLong() - 1)));
        }
        return narrowest(
                from,
                use.classes()
                        .orElseThrow(() -> new PipelineException("batch.wire sends '" + name
                                + "' as ids, but the number of ids is not known: expected {" + name
                                + ": {ids: number}}")));
    }

    /** Returns the narrowest integer type that holds a range, or the field's own type if that is no wider. */
    private static DType narrowest(DType from, ClassRange range) {
        DType found = DType.INT64;
        if (has(range, 0, 255)) {
            found = DType.UINT8;
        } else if (has(range, Byte.MIN_VALUE, Byte.MAX_VALUE)) {
            found = DType.INT8;
        } else if (has(range, 0, 65_535)) {
            found = DType.UINT16;
        } else if (has(range, Short.MIN_VALUE, Short.MAX_VALUE)) {
            found = DType.INT16;
        } else if (has(range, Integer.MIN_VALUE, Integer.MAX_VALUE)) {
            found = DType.INT32;
        }
        return found.bytes() < from.bytes() ? found : from;
    }

    private static boolean has(ClassRange range, long least, long most) {
        return range.least() >= least && range.most() <= most;
    }
}
