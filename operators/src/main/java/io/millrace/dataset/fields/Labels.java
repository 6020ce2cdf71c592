package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Makes labels of stored values, in the same way for all formats: whole numbers, however they are stored, or the names
 * of classes where the classes are known. Immutable, for any thread.
 */
public final class Labels {
    /** The label of all samples where the dataset has none. */
    public static final long NONE = 0;

    /** What the labels are called. */
    public static final Option<List<String>> CLASSES = Option.of(
                    "classes",
                    OptionType.listOf(OptionType.TEXT),
                    "The names of the classes by label, from 0 on; labels may then be stored as names too. Shards that pack"
                            + " wrote have them in their manifest.")
            .optional();

    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]{1,18}");

    private final List<String> classes;
    private final Map<String, Integer> byName = new HashMap<>();

    private Labels(List<String> classes) {
        this.classes = List.copyOf(classes);
        for (int label = 0; label < classes.size(); label++) {
            byName.putIfAbsent(classes.get(label), label);
        }
    }

    /** Labels whose classes have these names; with none, any number is a label and no name is. */
    public static Labels of(List<String> classes) {
        return new Labels(classes);
    }

    /** With the value of {@link #CLASSES}. */
    public static Labels of(Optional<List<String>> classes) {
        return of(classes.orElse(List.of()));
    }

    /** Their names by label; empty where none were given. */
    public List<String> classes() {
        return classes;
    }

    /** A number as label. */
    public long of(long number, ValuePlace place) throws BadSampleException {
        if (!classes.isEmpty() && (number < 0 || number >= classes.size())) {
            throw place.badSample("expected a label of 0 to " + (classes.size() - 1) + ", found " + number);
        }
        return number;
    }

    /** A decimal number as text, white space around it ignored, or the name of a class. */
    public long of(byte[] utf8, ValuePlace place) throws BadSampleException {
        String text = new String(utf8, 0, Math.min(utf8.length, 1 << 12), StandardCharsets.UTF_8).strip();
        if (DECIMAL.matcher(text).matches()) {
            return of(Long.parseLong(text), place);
        }
        Integer named = byName.get(text);
        if (named == null) {
            throw place.badSample("expected a whole number" + (classes.isEmpty() ? "" : " or the name of a class")
                    + " as label, found '" + text.substring(0, Math.min(text.length(), 40)) + "'");
        }
        return named;
    }

    /**
     * One number, whole even when it is stored as a floating-point number.
     *
     * @param data little-endian
     */
    public long of(DType dtype, int[] shape, byte[] data, ValuePlace place) throws BadSampleException {
        int count = dtype.bytes() == 0 ? 0 : data.length / dtype.bytes();
        if (count != 1) {
            throw place.badSample("expected one number as label, found "
                    + dtype.word() + " " + Arrays.toString(shape)
                    + "; several are a field of their own, under another name than label");
        }
        ByteBuffer value = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        return switch (dtype) {
            case INT8 -> of(value.get(), place);
            case UINT8, BOOL, ENCODED -> of(value.get() & 0xFF, place);
            case INT16 -> of(value.getShort(), place);
            case UINT16 -> of(value.getShort() & 0xFFFF, place);
            case INT32 -> of(value.getInt(), place);
            case INT64 -> of(value.getLong(), place);
            case FLOAT32 -> whole(value.getFloat(), place);
            case FLOAT64 -> whole(value.getDouble(), place);
            case FLOAT16, BFLOAT16 ->
                throw place.badSample("expected a whole number as label, found a float of 16 bits");
        };
    }

    private long whole(double number, ValuePlace place) throws BadSampleException {
        if (number != Math.rint(number) || Math.abs(number) >= 1L << 53) {
            throw place.badSample("expected a whole number as label, found " + number);
        }
        return of((long) number, place);
    }

    /** The exception for a sample that has no label while the dataset has labels. */
    public static BadSampleException noLabel(FieldSource source, ValuePlace place) {
        return place.badSample("expected a label as '" + source.from() + "', found none");
    }
}
