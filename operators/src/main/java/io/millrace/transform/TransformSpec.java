package io.millrace.transform;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.Serializable;
import java.util.Map;

/**
 * Which transform: its name and options. Travels to the tasks, which create it there.
 *
 * @param name a {@link TransformFactory#name()}
 */
public record TransformSpec(String name, OptionValues options) implements Serializable {
    /**
     * A transform with the values that a pipeline file would give.
     *
     * @throws IllegalArgumentException when there is no such transform, or a value is wrong
     */
    public static TransformSpec of(String name, Map<String, ?> raw) {
        return new TransformSpec(name, OptionValues.of(factory(name).options(), raw));
    }

    /** Makes the transform, for one thread. */
    public Transform create() {
        return factory(name).create(options);
    }

    /**
     * The factory of that name.
     *
     * @throws IllegalArgumentException when there is none on the class path
     */
    static TransformFactory factory(String name) {
        for (TransformFactory candidate : Services.of(TransformFactory.class)) {
            if (candidate.name().equals(name)) {
                return candidate;
            }
        }
        throw new IllegalArgumentException("no transform '" + name + "' on the class path");
    }
}
