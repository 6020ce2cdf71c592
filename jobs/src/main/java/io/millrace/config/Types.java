package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The option types that only pipeline files use. */
final class Types {
    /** The value of a key without a value. Every type except structures rejects it with the words "found nothing". */
    static final Object NOTHING = new Object() {
        @Override
        public String toString() {
            return "nothing";
        }
    };

    private Types() {}

    /** Returns the type of a whole number in a range that includes both ends. */
    static OptionType<Integer> between(int least, int most) {
        String words = most == Integer.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most;
        return OptionType.of("integer " + words.replace("of ", ""), raw -> {
            if (raw instanceof Long number && number >= least && number <= most) {
                return number.intValue();
            }
            throw OptionType.expected("a whole number " + words, raw);
        });
    }

    /** Returns the type of a whole number of at least {@code least}. */
    static OptionType<Integer> atLeast(int least) {
        return between(least, Integer.MAX_VALUE);
    }

    /** Returns the type of a count of at least 1, or of a word that stands for {@code meaning}. */
    static OptionType<Integer> countOr(String word, int meaning) {
        return OptionType.of("integer at least 1, or " + word, raw ->
                (int) countOr(raw, meaning - 1L, "a whole number of at least 1", word, meaning));
    }

    /** Returns a count of 1 to {@code most}, or {@code meaning} for a word. */
    static long countOr(Object raw, long most, String counts, String word, long meaning) {
        if (word.equals(raw)) {
            return meaning;
        }
        if (raw instanceof Long number && number >= 1 && number <= most) {
            return number;
        }
        throw OptionType.expected(counts + ", or '" + word + "'", raw);
    }

    /** Returns the type of a name that can be part of a path. */
    static OptionType<String> name() {
        return OptionType.TEXT.where(
                text -> text.matches("[A-Za-z0-9][A-Za-z0-9._-]*"),
                "letters, digits, '-', '_' and '.', with a letter or digit first");
    }

    /** Returns the type of a path of the local file system. */
    static OptionType<Path> path() {
        return OptionType.of("path", raw -> Path.of(OptionType.TEXT.parse(raw)));
    }

    /** Returns the type of a value with keys of its own, which is read separately; {@code name} is for the documentation. */
    static OptionType<Object> structure(String name) {
        return OptionType.of(name, raw -> raw);
    }

    /** Returns the values of options in a structure that is the value of an option. */
    static OptionValues values(List<Option<?>> options, Map<?, ?> map) {
        Map<String, Object> raw = new LinkedHashMap<>();
        map.forEach((key, value) -> raw.put(String.valueOf(key), value == null ? NOTHING : value));
        return OptionValues.of(options, raw);
    }
}
