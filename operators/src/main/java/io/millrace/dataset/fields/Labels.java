package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Halves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Conversion of stored values to labels, the same for all formats. A label is a whole number, in any stored form, or
 * the name of a class when the classes are known. A text that is the name of a class is that class, even if it consists of
 * digits. Immutable and safe for several threads.
 *
 * <p>Tested by {@code FieldValuesTest}.
 */
public final class Labels {
    /** The label of all samples of a dataset without labels. */
    public static final long NONE = 0;

    /** The option that names the classes. */
    public static final Option<List<String>> CLASSES = Option.of(
                    "classes",
                    OptionType.listOf(OptionType.TEXT),
                    "The names of the classes in the order of their labels, from 0 on. With this list, labels may also"
                            + " be stored as names, and a text of digits that is a name is that class. Shards that pack wrote do not need it, because their manifest"
                            + " contains the names.")
            .optional()
            .decides(Identity.BATCHES);

    private static final int MOST_SHOWN = 40;

    private final List<String> classes;
    private final Map<String, Integer> byName = new HashMap<>();

    /** Whether a text of digits is a number even if a class has that name. */
    private final boolean numbersFirst;

    private Labels(List<String> classes, boolean numbersFirst) {
        this.classes = List.copyOf(classes);
        this.numbersFirst = numbersFirst;
        for (int label = 0; label < classes.size(); label++) {
            byName.putIfAbsent(classes.get(label), label);
        }
    }

    /**
     * Returns the conversion for classes with these names. If the list is empty, every whole number is a label, and
     * names are refused.
     */
    public static Labels of(List<String> classes) {
        return new Labels(classes, false);
    }

    /**
     * Returns the conversion for classes with these names where text holds their numbers, as in the shards that pack
     * writes: a class folder {@code 10} may have the number 1.
     */
    public static Labels ofNumbers(List<String> classes) {
        return new Labels(classes, true);
    }

    /** Returns the conversion for the value of {@link #CLASSES}. */
    public static Labels of(Optional<List<String>> classes) {
        return of(classes.orElse(List.of()));
    }

    /** Returns the names of the classes in the order of their labels; empty when no names are known. */
    public List<String> classes() {
        return classes;
    }

    /** Returns a number as a label. */
    public long of(long number, ValuePlace place) throws BadSampleException {
        if (!classes.isEmpty() && (number < 0 || number >= classes.size())) {
            throw place.badSample("expected a label of 0 to " + (classes.size() - 1) + ", found " + number);
        }
        return number;
    }

    /**
     * Returns the label of a text: the name of a class, or a decimal number without a fraction. White space around it is
     * ignored.
     */
    public long of(byte[] utf8, ValuePlace place) throws BadSampleException {
        String whole = new String(utf8, 0, Math.min(utf8.length, 1 << 12), StandardCharsets.UTF_8);
        String text = whole.strip();
        Integer named = byName.getOrDefault(whole, byName.get(text));
        OptionalLong number = named == null || numbersFirst ? DecimalText.whole(text) : OptionalLong.empty();
        if (number.isPresent()) {
            return of(number.getAsLong(), place);
        }
        if (named == null) {
            String found = text.substring(0, Math.min(text.length(), MOST_SHOWN));
            boolean name = !DecimalText.isNumber(text) && !text.isEmpty() && Character.isLetter(text.charAt(0));
            throw place.badSample("expected a whole number" + (classes.isEmpty() ? "" : " or the name of a class")
                    + " as label, found '" + found + "'"
                    + (classes.isEmpty() && name
                            ? "; for names set dataset.classes: [" + found
                                    + ", ...], all of them in the order of their labels"
                            : ""));
        }
        return named;
    }

    /**
     * Returns one number as a label. A floating-point number must be whole.
     *
     * @param data the bytes of the number, little-endian
     */
    public long of(DType dtype, int[] shape, byte[] data, ValuePlace place) throws BadSampleException {
        int count = dtype.bytes() == 0 ? 0 : data.length / dtype.bytes();
        if (count != 1) {
            throw place.badSample("expected one number as label, found "
                    + dtype.word() + " " + Arrays.toString(shape)
                    + "; read several numbers as a field with another name than label");
        }
        return of(dtype, ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN), 0, place);
    }

    /**
     * Returns one number among others as a label.
     *
     * @param values a little-endian buffer
     * @param at the number's offset in the buffer, in bytes
     */
    public long of(DType dtype, ByteBuffer values, int at, ValuePlace place) throws BadSampleException {
        return switch (dtype) {
            case INT8 -> of(values.get(at), place);
            case UINT8, BOOL, ENCODED -> of(values.get(at) & 0xFF, place);
            case INT16 -> of(values.getShort(at), place);
            case UINT16 -> of(values.getShort(at) & 0xFFFF, place);
            case INT32 -> of(values.getInt(at), place);
            case INT64 -> of(values.getLong(at), place);
            case FLOAT32 -> whole(values.getFloat(at), place);
            case FLOAT64 -> whole(values.getDouble(at), place);
            case FLOAT16 -> whole(Halves.toFloat(values.getShort(at)), place);
            case BFLOAT16 -> whole(BrainFloats.toFloat(values.getShort(at)), place);
        };
    }

    private long whole(double number, ValuePlace place) throws BadSampleException {
        if (number != Math.rint(number) || Math.abs(number) >= 1L << 53) {
            throw place.badSample("expected a whole number as label, found " + number);
        }
        return of((long) number, place);
    }

    /** Returns the exception for a sample without a label in a dataset with labels. */
    public static BadSampleException noLabel(FieldSource source, ValuePlace place) {
        return place.badSample("expected a label as '" + source.from() + "', found none");
    }
}
