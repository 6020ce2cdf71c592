package io.millrace.dataset.types;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The settled types of a run's datasets.
 *
 * @param sources the types of the training datasets, in their order; those that are not in the list have declared types
 * @param evaluation the types of the evaluation dataset; empty when the run does not evaluate
 */
public record SettledTypes(List<FieldTypes> sources, FieldTypes evaluation) implements Serializable {
    /** The types of a run whose formats declare the types of all fields. */
    public static final SettledTypes NONE = new SettledTypes(FieldTypes.NONE, FieldTypes.NONE);

    public SettledTypes {
        sources = List.copyOf(sources);
    }

    /** Creates the types of a run with one training dataset. */
    public SettledTypes(FieldTypes train, FieldTypes evaluation) {
        this(List.of(train), evaluation);
    }

    /** Returns the types of the training dataset with a number. */
    public FieldTypes train(int source) {
        return source < sources.size() ? sources.get(source) : FieldTypes.NONE;
    }

    /**
     * Returns types with which whole numbers in the training datasets from one on become floats where those before have floats.
     *
     * @param from the number of the first dataset that changes
     */
    public SettledTypes addedAfter(int from) {
        List<FieldTypes> before = sources.subList(0, Math.min(from, sources.size()));
        List<FieldTypes> all = new ArrayList<>(before);
        sources.subList(before.size(), sources.size())
                .forEach(own -> all.add(before.stream().reduce(own, FieldTypes::with)));
        return new SettledTypes(all, evaluation);
    }

    /**
     * Returns types with which whole numbers in one dataset become floats where another has floats. Types that differ in another way
     * stay as they are.
     */
    public SettledTypes together() {
        return new SettledTypes(
                sources.stream()
                        .map(own -> sources.stream().reduce(own.with(evaluation), FieldTypes::with))
                        .toList(),
                sources.stream().reduce(evaluation, FieldTypes::with));
    }
}
