package io.millrace.dataset.csv;

import io.millrace.dataset.fields.DecimalText;
import io.millrace.dataset.files.NameOrder;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The type of a column of a table of text, which all of its values decide: whole numbers, decimals, truth values, or otherwise text.
 * One thread adds values, and then any thread may ask.
 *
 * <p>Tested by {@code CsvDatasetTest}.
 */
final class CsvValues {
    /** The type of a column. */
    enum Type {
        WHOLE("whole numbers"),
        DECIMAL("decimals"),
        TRUTH("true and false"),
        TEXT("text");

        private final String words;

        Type(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** The texts that pandas reads as missing values by default, the empty one included. */
    private static final Set<String> MISSING = Set.of(
            "",
            "#N/A",
            "#N/A N/A",
            "#NA",
            "-1.#IND",
            "-1.#QNAN",
            "-NaN",
            "-nan",
            "1.#IND",
            "1.#QNAN",
            "<NA>",
            "N/A",
            "NA",
            "NULL",
            "NaN",
            "None",
            "n/a",
            "nan",
            "null");

    /** The largest number of different texts that can be the names of classes. */
    private static final int MOST_NAMES = 1 << 16;

    private final boolean nan;
    private boolean whole = true;
    private boolean number = true;
    private boolean truth = true;
    private long values;
    private long missing;

    /** The different texts; null when nobody asks for them, or when they are too many. */
    private @Nullable TreeSet<String> names;

    /**
     * Creates a column without values.
     *
     * @param nan whether missing values are NaN in columns of numbers, and include the words that pandas reads as missing
     * @param named whether the texts can be the names of classes
     */
    CsvValues(boolean nan, boolean named) {
        this.nan = nan;
        this.names = named ? new TreeSet<>(NameOrder.BY_CODE_POINT) : null;
    }

    /** Returns whether a value is missing. */
    boolean isMissing(String value) {
        return nan ? MISSING.contains(value) : value.isEmpty();
    }

    void add(String value) {
        String text = value.strip();
        if (isMissing(text)) {
            missing++;
            return;
        }
        values++;
        if (whole || number || truth) {
            DecimalText.Form form = DecimalText.form(text);
            whole &= form == DecimalText.Form.WHOLE;
            number &= form != DecimalText.Form.OTHER;
            truth &= isTruth(text);
        }
        TreeSet<String> seen = names;
        if (seen != null && seen.add(text) && seen.size() > MOST_NAMES) {
            names = null;
        }
    }

    private static boolean isTruth(String text) {
        String word = text.toLowerCase(Locale.ROOT);
        return word.equals("true") || word.equals("false");
    }

    /** Adds the values of the same column in another file. */
    void add(CsvValues other) {
        whole &= other.whole;
        number &= other.number;
        truth &= other.truth;
        values += other.values;
        missing += other.missing;
        TreeSet<String> seen = names;
        if (seen == null || other.names == null) {
            names = null;
        } else {
            seen.addAll(other.names);
        }
    }

    Type type() {
        if (values == 0) {
            return Type.TEXT;
        }
        if (truth) {
            return Type.TRUTH;
        }
        boolean holes = nan && missing > 0;
        return whole && !holes ? Type.WHOLE : number ? Type.DECIMAL : Type.TEXT;
    }

    /** Returns the number of missing values. */
    long missing() {
        return missing;
    }

    /** Returns whether missing values are NaN. */
    boolean readsNan() {
        return nan && type() == Type.DECIMAL;
    }

    /** Returns the different texts in sorted order; an empty set when they cannot be the names of classes. */
    Set<String> names() {
        TreeSet<String> seen = names;
        return seen == null ? Set.of() : seen;
    }
}
