package io.millrace.transform;

import java.util.List;

/** The ranges of the magnitudes of operations: torchvision's tables, whose numbers are 32-bit floats. */
enum AugmentationSpace {
    /** The ranges of RandAugment and AutoAugment. */
    STANDARD(0.3, 30, 0.9, 4),
    /** The ranges of TrivialAugmentWide. */
    WIDE(0.99, 135, 0.99, 6);

    /**
     * The operations from which RandAugment and TrivialAugmentWide choose. AutoAugment's policies name their
     * operations.
     */
    static final List<Augmentation> OPERATIONS = List.of(
            Augmentation.IDENTITY,
            Augmentation.SHEAR_X,
            Augmentation.SHEAR_Y,
            Augmentation.TRANSLATE_X,
            Augmentation.TRANSLATE_Y,
            Augmentation.ROTATE,
            Augmentation.BRIGHTNESS,
            Augmentation.COLOR,
            Augmentation.CONTRAST,
            Augmentation.SHARPNESS,
            Augmentation.POSTERIZE,
            Augmentation.SOLARIZE,
            Augmentation.AUTO_CONTRAST,
            Augmentation.EQUALIZE);

    private static final int BITS = 8;

    private final double shear;
    private final double degrees;
    private final double factor;
    private final int lostBits;

    AugmentationSpace(double shear, double degrees, double factor, int lostBits) {
        this.shear = shear;
        this.degrees = degrees;
        this.factor = factor;
        this.lostBits = lostBits;
    }

    /**
     * Returns the magnitude of an operation, before its sign.
     *
     * @param operation the operation
     * @param bin the strength, from 0 (the weakest) to {@code bins - 1}
     * @param bins the number of strengths, at least 2
     * @param extent the size of the picture
     * @return the magnitude; 0 for operations without one
     */
    double magnitude(Augmentation operation, int bin, int bins, ImageFields.Extent extent) {
        return switch (operation) {
            case IDENTITY, AUTO_CONTRAST, EQUALIZE, INVERT -> 0;
            case SHEAR_X, SHEAR_Y -> step(0, shear, bin, bins);
            case TRANSLATE_X -> step(0, translation(extent.width()), bin, bins);
            case TRANSLATE_Y -> step(0, translation(extent.height()), bin, bins);
            case ROTATE -> step(0, degrees, bin, bins);
            case BRIGHTNESS, COLOR, CONTRAST, SHARPNESS -> step(0, factor, bin, bins);
            case POSTERIZE -> Math.rint(BITS - bin / (float) ((bins - 1) / (double) lostBits));
            case SOLARIZE -> step(1, 0, bin, bins);
        };
    }

    private double translation(int pixels) {
        return this == STANDARD ? 150.0 / 331 * pixels : 32;
    }

    /** Returns an element of PyTorch's {@code linspace}, which counts from the nearer end. */
    private static float step(double from, double to, int bin, int bins) {
        float step = ((float) to - (float) from) / (bins - 1);
        return bin < bins / 2 ? Math.fma(step, bin, (float) from) : Math.fma(-step, bins - 1 - bin, (float) to);
    }
}
