package io.millrace.transform;

import io.millrace.option.Choice;
import io.millrace.option.OptionValues;
import java.util.Optional;

/**
 * A service that creates one kind of transform from its options. Pipeline files name it by {@link #name()}. Jars add
 * transforms by listing their factories in {@code META-INF/services}. A factory is stateless.
 */
public interface TransformFactory extends Choice {
    /** Returns the name in pipeline files: torchvision's name where torchvision has the transform. */
    @Override
    String name();

    /**
     * Checks values that are valid one by one against each other, before the pipeline runs. Override this method when
     * {@link #create} is costly, for example because it loads a native library.
     *
     * @throws IllegalArgumentException when values contradict each other
     */
    default void check(OptionValues options) {
        create(options);
    }

    /**
     * Creates the transform for one thread.
     *
     * @throws IllegalArgumentException when values that are valid one by one contradict each other
     */
    Transform create(OptionValues options);

    /**
     * Creates the transform for one thread of a running job. Override this method when the transform depends on where it
     * runs; otherwise the context is ignored.
     *
     * @throws IllegalArgumentException when values that are valid one by one contradict each other
     */
    default Transform create(OptionValues options, TransformContext context) {
        return create(options);
    }

    /**
     * Returns the effect on the size of pictures. {@code place: auto} and batches of pictures rely on it, so a transform
     * that changes the size of pictures overrides this method.
     */
    default OutputSize outputSize(OptionValues options) {
        return OutputSize.SAME;
    }

    /**
     * Returns whether other transforms may apply this one, as {@code RandomApply} does. A transform that owns a process or
     * another resource is not nested, because only transforms of the pipeline's own list are closed.
     */
    default boolean nests() {
        return true;
    }

    /**
     * Returns the number of samples that a task of the transform works on at the same time. For each of them, it has a thread with an
     * instance of its own. This pays only for slow work that happens outside of this process.
     */
    default int workers(OptionValues options) {
        return 1;
    }

    /**
     * Returns the decision of a transform that swaps the columns of all pictures, left for right, or does nothing; empty for all other
     * transforms. A resize directly before it, in the same task, writes the columns in the decided order, and then {@link
     * Transform#apply} is not called.
     */
    default Optional<FlipDraw> columnFlip(OptionValues options) {
        return Optional.empty();
    }

    /**
     * Returns whether the transform moves pixels to other places. Boxes and points that a dataset does not declare would stay where they
     * were, and the device does not move them, so users are told.
     */
    default boolean movesPixels(OptionValues options) {
        return false;
    }

    /** Returns the kind of work that the transform does on pictures. {@code diagnose} bases its advice on it. */
    default PictureWork pictureWork(OptionValues options) {
        return PictureWork.OTHER;
    }
}
