package io.millrace.dataset.fields;

import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.StoredLabels.State;
import io.millrace.dataset.fields.FieldSource.As;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The search for stored values that could be the labels of a dataset whose samples have none. Names that people use for labels come
 * first, then numbers, then text. Belongs to one thread.
 */
public final class LabelCandidates {
    /** The words in names of labels, the most usual first. */
    private static final List<String> WORDS =
            List.of("label", "target", "class", "category", "cls", "species", "breed", "y");

    /** The kind of the values of a candidate. */
    public enum Kind {
        /** Classes, whose names the files contain. */
        NAMED_CLASSES("classes with names"),
        WHOLE_NUMBER("whole numbers"),
        /** Text, which is a label only with the names of the classes. */
        TEXT("text");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    private record Candidate(String name, Kind kind) {
        int rank() {
            String[] words = name.toLowerCase(Locale.ROOT).split("[^a-z0-9]+", -1);
            for (int i = 0; i < WORDS.size(); i++) {
                for (String word : words) {
                    // Plurals count, too: the file labels.npy.
                    if (word.equals(WORDS.get(i)) || word.equals(WORDS.get(i) + "s")) {
                        return i;
                    }
                }
            }
            return WORDS.size();
        }
    }

    private final List<Candidate> candidates = new ArrayList<>();

    /**
     * Adds stored values that could be the label.
     *
     * @param name the name by which the key {@code fields} selects the values
     */
    public LabelCandidates add(String name, Kind kind) {
        candidates.add(new Candidate(name, kind));
        return this;
    }

    /** Returns the labels of a dataset that reads these fields and no label. */
    public StoredLabels without(FieldSelection selection) {
        List<Candidate> sorted = candidates.stream()
                .filter(candidate -> selection.fields().stream()
                        .noneMatch(field -> field.from().equals(candidate.name())))
                .sorted(Comparator.comparing((Candidate each) -> each.kind() != Kind.NAMED_CLASSES)
                        .thenComparing(Candidate::rank)
                        .thenComparing(Candidate::kind))
                .toList();
        return new StoredLabels(
                selection.chosen() ? State.NOT_NAMED : State.NOT_FOUND,
                sorted.stream()
                        .map(each -> "'" + each.name() + "' (" + each.kind().words + ")")
                        .toList(),
                sorted.stream().findFirst().map(best -> line(selection.fields(), best)));
    }

    private static String line(List<FieldSource> fields, Candidate label) {
        String named = Stream.concat(
                        fields.stream().map(LabelCandidates::written),
                        Stream.of(FieldSource.LABEL + ": " + quoted(label.name())))
                .collect(Collectors.joining(", ", "set dataset.fields: {", "}"));
        return label.kind() == Kind.TEXT
                ? named
                        + ", and dataset.classes: [...] with the names in the order of their labels, because the values are"
                        + " text"
                : named;
    }

    private static String written(FieldSource field) {
        // The alternatives of a default are too long for a message, and the field's name alone means them.
        String from = quoted(field.from().contains(";") ? field.name() : field.from());
        return field.name() + ": "
                + (field.as() == As.AUTO
                        ? from
                        : "{from: " + from + ", as: " + field.as().name().toLowerCase(Locale.ROOT) + "}");
    }

    /** Returns a name as YAML reads it as text. */
    public static String quoted(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_./-]*") ? name : "'" + name.replace("'", "''") + "'";
    }

    /** Returns the labels of a dataset that reads these fields: {@link StoredLabels#PRESENT} if a label is among them. */
    public static StoredLabels of(FieldSelection selection, LabelCandidates candidates) {
        return selection.label().isPresent() ? StoredLabels.PRESENT : candidates.without(selection);
    }
}
