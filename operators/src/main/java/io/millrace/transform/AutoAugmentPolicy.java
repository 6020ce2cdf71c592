package io.millrace.transform;

import static io.millrace.transform.Augmentation.AUTO_CONTRAST;
import static io.millrace.transform.Augmentation.BRIGHTNESS;
import static io.millrace.transform.Augmentation.COLOR;
import static io.millrace.transform.Augmentation.CONTRAST;
import static io.millrace.transform.Augmentation.EQUALIZE;
import static io.millrace.transform.Augmentation.INVERT;
import static io.millrace.transform.Augmentation.POSTERIZE;
import static io.millrace.transform.Augmentation.ROTATE;
import static io.millrace.transform.Augmentation.SHARPNESS;
import static io.millrace.transform.Augmentation.SHEAR_X;
import static io.millrace.transform.Augmentation.SHEAR_Y;
import static io.millrace.transform.Augmentation.SOLARIZE;
import static io.millrace.transform.Augmentation.TRANSLATE_X;
import static io.millrace.transform.Augmentation.TRANSLATE_Y;

import java.util.List;

/** The learned policy of a dataset: 25 pairs of operations. Each sample gets one pair. */
enum AutoAugmentPolicy {
    /** Learned on ImageNet. */
    IMAGENET,
    /** Learned on CIFAR-10. */
    CIFAR10,
    /** Learned on Street View House Numbers. */
    SVHN;

    private static final List<Pair> IMAGENET_PAIRS = List.of(
            of(POSTERIZE, 0.4, 8, ROTATE, 0.6, 9),
            of(SOLARIZE, 0.6, 5, AUTO_CONTRAST, 0.6, 0),
            of(EQUALIZE, 0.8, 0, EQUALIZE, 0.6, 0),
            of(POSTERIZE, 0.6, 7, POSTERIZE, 0.6, 6),
            of(EQUALIZE, 0.4, 0, SOLARIZE, 0.2, 4),
            of(EQUALIZE, 0.4, 0, ROTATE, 0.8, 8),
            of(SOLARIZE, 0.6, 3, EQUALIZE, 0.6, 0),
            of(POSTERIZE, 0.8, 5, EQUALIZE, 1.0, 0),
            of(ROTATE, 0.2, 3, SOLARIZE, 0.6, 8),
            of(EQUALIZE, 0.6, 0, POSTERIZE, 0.4, 6),
            of(ROTATE, 0.8, 8, COLOR, 0.4, 0),
            of(ROTATE, 0.4, 9, EQUALIZE, 0.6, 0),
            of(EQUALIZE, 0.0, 0, EQUALIZE, 0.8, 0),
            of(INVERT, 0.6, 0, EQUALIZE, 1.0, 0),
            of(COLOR, 0.6, 4, CONTRAST, 1.0, 8),
            of(ROTATE, 0.8, 8, COLOR, 1.0, 2),
            of(COLOR, 0.8, 8, SOLARIZE, 0.8, 7),
            of(SHARPNESS, 0.4, 7, INVERT, 0.6, 0),
            of(SHEAR_X, 0.6, 5, EQUALIZE, 1.0, 0),
            of(COLOR, 0.4, 0, EQUALIZE, 0.6, 0),
            of(EQUALIZE, 0.4, 0, SOLARIZE, 0.2, 4),
            of(SOLARIZE, 0.6, 5, AUTO_CONTRAST, 0.6, 0),
            of(INVERT, 0.6, 0, EQUALIZE, 1.0, 0),
            of(COLOR, 0.6, 4, CONTRAST, 1.0, 8),
            of(EQUALIZE, 0.8, 0, EQUALIZE, 0.6, 0));

    private static final List<Pair> CIFAR10_PAIRS = List.of(
            of(INVERT, 0.1, 0, CONTRAST, 0.2, 6),
            of(ROTATE, 0.7, 2, TRANSLATE_X, 0.3, 9),
            of(SHARPNESS, 0.8, 1, SHARPNESS, 0.9, 3),
            of(SHEAR_Y, 0.5, 8, TRANSLATE_Y, 0.7, 9),
            of(AUTO_CONTRAST, 0.5, 0, EQUALIZE, 0.9, 0),
            of(SHEAR_Y, 0.2, 7, POSTERIZE, 0.3, 7),
            of(COLOR, 0.4, 3, BRIGHTNESS, 0.6, 7),
            of(SHARPNESS, 0.3, 9, BRIGHTNESS, 0.7, 9),
            of(EQUALIZE, 0.6, 0, EQUALIZE, 0.5, 0),
            of(CONTRAST, 0.6, 7, SHARPNESS, 0.6, 5),
            of(COLOR, 0.7, 7, TRANSLATE_X, 0.5, 8),
            of(EQUALIZE, 0.3, 0, AUTO_CONTRAST, 0.4, 0),
            of(TRANSLATE_Y, 0.4, 3, SHARPNESS, 0.2, 6),
            of(BRIGHTNESS, 0.9, 6, COLOR, 0.2, 8),
            of(SOLARIZE, 0.5, 2, INVERT, 0.0, 0),
            of(EQUALIZE, 0.2, 0, AUTO_CONTRAST, 0.6, 0),
            of(EQUALIZE, 0.2, 0, EQUALIZE, 0.6, 0),
            of(COLOR, 0.9, 9, EQUALIZE, 0.6, 0),
            of(AUTO_CONTRAST, 0.8, 0, SOLARIZE, 0.2, 8),
            of(BRIGHTNESS, 0.1, 3, COLOR, 0.7, 0),
            of(SOLARIZE, 0.4, 5, AUTO_CONTRAST, 0.9, 0),
            of(TRANSLATE_Y, 0.9, 9, TRANSLATE_Y, 0.7, 9),
            of(AUTO_CONTRAST, 0.9, 0, SOLARIZE, 0.8, 3),
            of(EQUALIZE, 0.8, 0, INVERT, 0.1, 0),
            of(TRANSLATE_Y, 0.7, 9, AUTO_CONTRAST, 0.9, 0));

    private static final List<Pair> SVHN_PAIRS = List.of(
            of(SHEAR_X, 0.9, 4, INVERT, 0.2, 0),
            of(SHEAR_Y, 0.9, 8, INVERT, 0.7, 0),
            of(EQUALIZE, 0.6, 0, SOLARIZE, 0.6, 6),
            of(INVERT, 0.9, 0, EQUALIZE, 0.6, 0),
            of(EQUALIZE, 0.6, 0, ROTATE, 0.9, 3),
            of(SHEAR_X, 0.9, 4, AUTO_CONTRAST, 0.8, 0),
            of(SHEAR_Y, 0.9, 8, INVERT, 0.4, 0),
            of(SHEAR_Y, 0.9, 5, SOLARIZE, 0.2, 6),
            of(INVERT, 0.9, 0, AUTO_CONTRAST, 0.8, 0),
            of(EQUALIZE, 0.6, 0, ROTATE, 0.9, 3),
            of(SHEAR_X, 0.9, 4, SOLARIZE, 0.3, 3),
            of(SHEAR_Y, 0.8, 8, INVERT, 0.7, 0),
            of(EQUALIZE, 0.9, 0, TRANSLATE_Y, 0.6, 6),
            of(INVERT, 0.9, 0, EQUALIZE, 0.6, 0),
            of(CONTRAST, 0.3, 3, ROTATE, 0.8, 4),
            of(INVERT, 0.8, 0, TRANSLATE_Y, 0.0, 2),
            of(SHEAR_Y, 0.7, 6, SOLARIZE, 0.4, 8),
            of(INVERT, 0.6, 0, ROTATE, 0.8, 4),
            of(SHEAR_Y, 0.3, 7, TRANSLATE_X, 0.9, 3),
            of(SHEAR_X, 0.1, 6, INVERT, 0.6, 0),
            of(SOLARIZE, 0.7, 2, TRANSLATE_Y, 0.6, 7),
            of(SHEAR_Y, 0.8, 4, INVERT, 0.8, 0),
            of(SHEAR_X, 0.7, 9, TRANSLATE_Y, 0.8, 3),
            of(SHEAR_Y, 0.8, 5, AUTO_CONTRAST, 0.7, 0),
            of(SHEAR_X, 0.7, 2, INVERT, 0.1, 0));

    /** Two steps that are applied one after the other, each with its own probability. */
    record Pair(Step first, Step second) {}

    /**
     * An operation that is applied with a probability.
     *
     * @param operation the operation
     * @param probability the probability that the operation is applied, 0 to 1
     * @param bin the strength of the operation, 0 to 9; 0 for operations without a magnitude
     */
    record Step(Augmentation operation, double probability, int bin) {}

    /** Returns the pairs, which are equally probable. */
    List<Pair> pairs() {
        return switch (this) {
            case IMAGENET -> IMAGENET_PAIRS;
            case CIFAR10 -> CIFAR10_PAIRS;
            case SVHN -> SVHN_PAIRS;
        };
    }

    private static Pair of(
            Augmentation first,
            double probability,
            int bin,
            Augmentation second,
            double secondProbability,
            int secondBin) {
        return new Pair(new Step(first, probability, bin), new Step(second, secondProbability, secondBin));
    }
}
