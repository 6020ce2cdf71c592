package io.millrace.dataset.csv;

import io.millrace.dataset.csv.CsvReader.Value;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The names of the columns of a file of values, and the words by which people call columns.
 *
 * <p>Tested by {@code CsvHeaderTest}.
 *
 * @param names the names without the white space around them, in the order of the columns
 */
public record CsvHeader(List<String> names) {
    private static final List<String> SEPARATORS = List.of(",", ";", "\t");

    /** The words for the column with the labels, the most usual first. */
    private static final List<String> LABELS = List.of(
            "label",
            "labels",
            "target",
            "class",
            "classid",
            "classname",
            "category",
            "y",
            "breed",
            "species",
            "diagnosis",
            "labelid",
            "labelname",
            "cls");

    public CsvHeader {
        names = List.copyOf(names);
    }

    /** Returns the header in the first record of a file. */
    public static CsvHeader of(List<Value> record) {
        return new CsvHeader(record.stream().map(Value::stripped).toList());
    }

    /** Returns the separator of the first line of a file: a comma, a semicolon or a tab, whichever it has most outside of quotes. */
    public static char separator(String firstLine) {
        String unquoted = firstLine.replaceAll("\"[^\"]*\"", "");
        char best = ',';
        long most = 0;
        for (String separator : SEPARATORS) {
            long count = unquoted.chars().filter(c -> c == separator.charAt(0)).count();
            if (count > most) {
                best = separator.charAt(0);
                most = count;
            }
        }
        return best;
    }

    /** Returns the names that several columns have, or that a column lacks. */
    public List<String> unclear() {
        Set<String> seen = new HashSet<>();
        return names.stream()
                .filter(name -> name.isEmpty() || !seen.add(name))
                .distinct()
                .toList();
    }

    /** Returns the names of the columns that people call their labels, the most usual first. */
    public List<String> labels() {
        return LABELS.stream()
                .flatMap(word -> names.stream().filter(name -> plain(name).equals(word)))
                .distinct()
                .toList();
    }

    /** Returns a name in lower case without anything but letters and digits, by which people call a column. */
    public static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Returns the index of a column, or -1. */
    public int index(String name) {
        return names.indexOf(name);
    }
}
