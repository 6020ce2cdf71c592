package io.millrace.dataset.types;

import java.io.Serializable;

/** The settled types of a run's datasets. {@code evaluation} is empty when the run does not evaluate. */
public record SettledTypes(FieldTypes train, FieldTypes evaluation) implements Serializable {
    /** The types of a run whose formats declare the types of all fields. */
    public static final SettledTypes NONE = new SettledTypes(FieldTypes.NONE, FieldTypes.NONE);

    /**
     * Returns types with which whole numbers in one dataset become floats where the other has floats. Types that differ in another
     * way stay as they are.
     */
    public SettledTypes together() {
        return new SettledTypes(train.with(evaluation), evaluation.with(train));
    }
}
