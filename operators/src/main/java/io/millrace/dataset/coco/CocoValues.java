package io.millrace.dataset.coco;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.dataset.DatasetException;
import io.millrace.file.HeapLimit;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of an annotations file at the current place of a parser: ids, texts, numbers and lists of numbers.
 *
 * <p>Tested by {@code CocoDatasetTest}.
 */
final class CocoValues {
    private static final int LONGEST_SHOWN = 60;

    private final String file;
    private final JsonParser json;

    CocoValues(String file, JsonParser json) {
        this.file = file;
        this.json = json;
    }

    /** A list of numbers, whose array is not copied. */
    static final class Listed {
        static final Listed NONE = new Listed(new double[0], null);

        private final double[] numbers;
        private final @Nullable String odd;

        /**
         * Creates a list.
         *
         * @param numbers its numbers; NaN for anything else
         * @param odd a description of the first other value, or of a value that is no list; null when there is none
         */
        Listed(double[] numbers, @Nullable String odd) {
            this.numbers = numbers;
            this.odd = odd;
        }

        double[] numbers() {
            return numbers;
        }

        @Nullable
        String odd() {
            return odd;
        }

        boolean isEmpty() {
            return numbers.length == 0 && odd == null;
        }

        /** Describes the list for messages. */
        String describe() {
            return odd != null ? odd : numbers.length == 0 ? "none" : shortened(Arrays.toString(numbers));
        }
    }

    /** Returns an exception with the current place in the file. */
    DatasetException bad(String message) {
        return new DatasetException(file + ": " + message + at(json.currentTokenLocation()));
    }

    static String at(@Nullable JsonLocation location) {
        return location == null || location.getLineNr() < 0
                ? ""
                : " in line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    /** Describes the current value, or the object or list that was skipped last, for messages. */
    String found() throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "a list";
            case VALUE_STRING -> "the text '" + shortened(json.getText()) + "'";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + shortened(json.getText());
            default -> json.getText();
        };
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
    }

    /**
     * Returns the number of an id: a text, or a whole number, which some programs write as 139.0.
     *
     * @param what the id, for messages
     */
    long id(CocoIds ids, String what) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_STRING) {
            if (ids.areNumbers()) {
                throw bad("expected a whole number as " + what + ", like the ids of " + ids.plural()
                        + " before it, found " + found());
            }
            return ids.ofText(json.getText());
        }
        double number = json.currentToken().isNumeric() ? json.getDoubleValue() : Double.NaN;
        boolean whole = json.currentToken() == JsonToken.VALUE_NUMBER_INT
                ? json.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                : number == Math.rint(number) && Math.abs(number) < 0x1p53;
        if (!whole) {
            throw bad("expected a whole number below 2^63 or text as " + what + ", found " + found());
        }
        if (ids.areTexts()) {
            throw bad(
                    "expected text as " + what + ", like the ids of " + ids.plural() + " before it, found " + found());
        }
        return ids.ofNumber(json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : (long) number);
    }

    String text(String what) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw bad("expected text as " + what + ", found " + found());
        }
        return json.getText();
    }

    /** Returns a text, or a number as text; null for null. */
    @Nullable
    String name(String what) throws IOException {
        return json.currentToken() == JsonToken.VALUE_NULL
                ? null
                : json.currentToken().isNumeric() ? json.getText() : text(what);
    }

    /** Returns a number; NaN for anything else, which is skipped. */
    double number() throws IOException {
        if (json.currentToken().isNumeric()) {
            return json.getDoubleValue();
        }
        json.skipChildren();
        return Double.NaN;
    }

    /** Returns a list of numbers. Null is an empty list. */
    Listed numbers() throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return Listed.NONE;
        }
        if (json.currentToken() != JsonToken.START_ARRAY) {
            String odd = found();
            json.skipChildren();
            return new Listed(new double[0], odd);
        }
        double[] numbers = new double[4];
        int count = 0;
        String odd = null;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (count == numbers.length) {
                require("a list of numbers", 3L * Double.BYTES * count);
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            if (odd == null && !json.currentToken().isNumeric()) {
                odd = found() + " among the numbers";
            }
            numbers[count++] = number();
        }
        return new Listed(Arrays.copyOf(numbers, count), odd);
    }

    /** Refuses a value that would need too much memory. */
    void require(String what, long bytes) throws DatasetException {
        String refusal = HeapLimit.refusal(what, bytes);
        if (!refusal.isEmpty()) {
            throw bad(refusal);
        }
    }

    Listed skipped() throws IOException {
        json.skipChildren();
        return Listed.NONE;
    }
}
