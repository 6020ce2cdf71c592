package io.millrace.dataset.folder;

import io.millrace.dataset.csv.CsvReader;
import io.millrace.dataset.fields.DecimalText;
import io.millrace.dataset.files.NameOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The labels in a list of files: either all whole numbers or all names of classes, as the first of them decides. Class names are
 * sorted and numbered from 0. Belongs to one thread.
 *
 * <p>Tested by {@code LabelsFileTest}.
 */
final class ListedLabels {
    /** The largest number of classes with numbers as names. Larger labels are targets and not classes. */
    private static final int MAX_NUMBERED_CLASSES = 1 << 16;

    /** The classes, each with its number in the order of first occurrence, which is the label until all classes are known. */
    private final Map<String, Integer> classes = new TreeMap<>(NameOrder.BY_CODE_POINT);

    /** Whether the labels are numbers; null before the first label. */
    private @Nullable Boolean numbered;

    private int highest;

    /** Returns the reason why the text is no label; empty when it is one. The first label decides between numbers and names. */
    Optional<String> problem(String text) {
        if (text.isEmpty()) {
            return Optional.of("expected a label, found none");
        }
        boolean number = DecimalText.isNumber(text);
        if (numbered == null) {
            numbered = number;
        }
        if (number != numbered) {
            return Optional.of("expected a " + (numbered ? "number" : "name")
                    + " as label, as in the lines before, found '" + CsvReader.shown(text) + "'");
        }
        return numbered ? problemOfNumber(text) : Optional.empty();
    }

    private static Optional<String> problemOfNumber(String text) {
        OptionalLong label = DecimalText.whole(text);
        if (label.isEmpty() && !DecimalText.isDigits(text)) {
            return Optional.of("expected a whole number as label, found " + CsvReader.shown(text));
        }
        return label.isEmpty() || label.getAsLong() < 0 || label.getAsLong() > Integer.MAX_VALUE
                ? Optional.of("expected a label from 0 to " + Integer.MAX_VALUE + ", found " + text)
                : Optional.empty();
    }

    /** Returns the label of a text without a problem. The labels of names are their order of first occurrence for now. */
    int label(String text) {
        if (!areNumbers()) {
            classes.putIfAbsent(text, classes.size());
            return classes.getOrDefault(text, 0);
        }
        int label = (int) DecimalText.whole(text).orElseThrow();
        highest = Math.max(highest, label);
        return label;
    }

    /** Returns whether the labels are numbers. */
    boolean areNumbers() {
        return Boolean.TRUE.equals(numbered);
    }

    /** Returns the names of the classes, and replaces the labels of {@code files} by their final numbers. */
    List<String> finish(FileList files) {
        if (areNumbers()) {
            return highest < MAX_NUMBERED_CLASSES
                    ? IntStream.rangeClosed(0, highest)
                            .mapToObj(Integer::toString)
                            .toList()
                    : List.of();
        }
        int[] sorted = new int[classes.size()];
        int label = 0;
        for (int first : classes.values()) {
            sorted[first] = label++;
        }
        files.relabel(sorted);
        return List.copyOf(classes.keySet());
    }
}
