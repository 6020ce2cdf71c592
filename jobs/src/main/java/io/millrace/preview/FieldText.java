package io.millrace.preview;

import io.millrace.dataset.fields.Utf8;
import io.millrace.sample.BrainFloats;
import io.millrace.sample.Counted;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Halves;
import io.millrace.sample.Sample;
import io.millrace.sample.VisibleText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** The values of a field as text for people: the type, the shape, and the first numbers or the beginning of a text. */
public final class FieldText {
    private static final int MOST_NUMBERS = 8;
    private static final int MOST_CHARACTERS = 200;

    private FieldText() {}

    /** Returns the type and the shape, such as {@code uint8 [24, 24, 3]}, or {@code text [300]} with the number of bytes. */
    public static String shape(Field field) {
        return (field.kind() == FieldKind.TEXT
                        ? field.kind().word()
                        : field.dtype().word()) + " " + Arrays.toString(field.shape());
    }

    /** Returns the SHA-256 of the bytes of the values, in hexadecimal digits. */
    public static String sha256(Field field) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(field.data()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * Returns the values on one line: a text in quotation marks, at most {@value #MOST_CHARACTERS} characters of it, also if the bytes of a
     * ragged field are UTF-8, and otherwise the first {@value #MOST_NUMBERS} numbers. Pictures have no text, because a contact sheet shows
     * them.
     */
    public static String values(Field field) {
        if (field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK) {
            return "";
        }
        boolean bytes = field.kind().varies() && field.dtype() == DType.UINT8 && field.shape().length == 1;
        return bytes && Utf8.firstBad(field.data(), 0) < 0
                ? VisibleText.beginning(field.data(), MOST_CHARACTERS)
                : numbers(field);
    }

    /**
     * Returns the fields of a sample, each on a line with its name, type, shape and values. For a pack whose documents are not joined
     * yet, these are the fields of its first document, after the number of documents.
     */
    static List<String> lines(Sample sample) {
        if (!sample.parts().isEmpty()) {
            List<String> lines = new ArrayList<>();
            lines.add(Counted.of(sample.parts().size(), "document") + ", of which the first:");
            lines.addAll(lines(sample.parts().get(0).sample()));
            return lines;
        }
        return sample.fieldNames().stream()
                .map(name -> {
                    Field field = sample.field(name);
                    return (name + ": " + shape(field) + " " + values(field)).stripTrailing();
                })
                .toList();
    }

    private static String numbers(Field field) {
        ByteBuffer bytes = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        int count = bytes.capacity() / field.dtype().bytes();
        StringJoiner numbers = new StringJoiner(" ");
        for (int i = 0; i < Math.min(count, MOST_NUMBERS); i++) {
            numbers.add(number(field.dtype(), bytes, i * field.dtype().bytes()));
        }
        return numbers + (count > MOST_NUMBERS ? String.format(Locale.ROOT, " ... (%,d values)", count) : "");
    }

    private static String number(DType dtype, ByteBuffer bytes, int at) {
        return switch (dtype) {
            case ENCODED, UINT8 -> String.valueOf(Byte.toUnsignedInt(bytes.get(at)));
            case BOOL -> String.valueOf(bytes.get(at) != 0);
            case INT8 -> String.valueOf(bytes.get(at));
            case INT16 -> String.valueOf(bytes.getShort(at));
            case UINT16 -> String.valueOf(Short.toUnsignedInt(bytes.getShort(at)));
            case INT32 -> String.valueOf(bytes.getInt(at));
            case INT64 -> String.valueOf(bytes.getLong(at));
            case FLOAT16 -> String.valueOf(Halves.toFloat(bytes.getShort(at)));
            case BFLOAT16 -> String.valueOf(BrainFloats.toFloat(bytes.getShort(at)));
            case FLOAT32 -> String.valueOf(bytes.getFloat(at));
            case FLOAT64 -> String.valueOf(bytes.getDouble(at));
        };
    }
}
