package io.millrace.transform;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;

/**
 * The name and the options of a transform. Flink serializes it into the tasks, which create the transform there.
 *
 * @param name a {@link TransformFactory#name()}
 * @param options the checked options of the transform
 */
public record TransformSpec(String name, OptionValues options) implements Serializable {
    /**
     * Returns a transform with values as a pipeline file would set them.
     *
     * @throws IllegalArgumentException when there is no such transform, or a value is wrong
     */
    public static TransformSpec of(String name, Map<String, ?> raw) {
        return new TransformSpec(name, OptionValues.of(factory(name).options(), raw));
    }

    /** Returns the factory of the transform. */
    public TransformFactory factory() {
        return factory(name);
    }

    /** Creates the transform, for one thread outside of a job. */
    public Transform create() {
        return factory().create(options);
    }

    /** Creates the transform, for one thread of a job. */
    Transform create(TransformContext context) {
        return factory().create(options, context);
    }

    /** Returns whether the transform has an option with a name. */
    public boolean hasOption(String key) {
        return Option.keys(factory().options()).contains(key);
    }

    /** Returns the transform's effect on the size of pictures. */
    public OutputSize outputSize() {
        return factory().outputSize(options);
    }

    /** Returns the number of samples that a task works on at the same time. */
    public int workers() {
        return factory().workers(options);
    }

    /** Returns the decision of a transform that does nothing but mirror the columns of pictures; empty for all others. */
    Optional<FlipDraw> columnFlip() {
        return factory().columnFlip(options);
    }

    /** Returns whether the transform moves pixels to other places. */
    public boolean movesPixels() {
        return factory().movesPixels(options);
    }

    /** Returns the kind of work that the transform does on pictures. */
    public PictureWork pictureWork() {
        return factory().pictureWork(options);
    }

    /**
     * Returns the factory with a name.
     *
     * @throws IllegalArgumentException when the class path has no such factory
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
