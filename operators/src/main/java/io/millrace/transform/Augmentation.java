package io.millrace.transform;

/** The operations of the automatic augmentations, with torchvision's names. */
enum Augmentation {
    /** Changes nothing. */
    IDENTITY("Identity", Kind.PLAIN),
    /** Shears along rows; the magnitude is the shift in pixels per row. */
    SHEAR_X("ShearX", Kind.GEOMETRY),
    /** Shears along columns; the magnitude is the shift in pixels per column. */
    SHEAR_Y("ShearY", Kind.GEOMETRY),
    /** Moves to the right by the magnitude in pixels, truncated to a whole number. */
    TRANSLATE_X("TranslateX", Kind.GEOMETRY),
    /** Moves down by the magnitude in pixels, truncated to a whole number. */
    TRANSLATE_Y("TranslateY", Kind.GEOMETRY),
    /** Rotates counter-clockwise by the magnitude in degrees. */
    ROTATE("Rotate", Kind.GEOMETRY),
    /** Changes the brightness by the factor 1 + magnitude. */
    BRIGHTNESS("Brightness", Kind.FACTOR),
    /** Changes the saturation by the factor 1 + magnitude. */
    COLOR("Color", Kind.FACTOR),
    /** Changes the contrast by the factor 1 + magnitude. */
    CONTRAST("Contrast", Kind.FACTOR),
    /** Changes the sharpness by the factor 1 + magnitude. */
    SHARPNESS("Sharpness", Kind.FACTOR),
    /** Keeps the upper bits of each value; the magnitude is their number. */
    POSTERIZE("Posterize", Kind.LEVEL),
    /** Inverts the values that are at least magnitude * 255. */
    SOLARIZE("Solarize", Kind.LEVEL),
    /** Stretches the values of each channel to 0 to 255. */
    AUTO_CONTRAST("AutoContrast", Kind.PLAIN),
    /** Makes the values of each channel equally frequent. */
    EQUALIZE("Equalize", Kind.PLAIN),
    /** Inverts all values. */
    INVERT("Invert", Kind.PLAIN);

    private final String text;
    private final Kind kind;

    Augmentation(String text, Kind kind) {
        this.text = text;
        this.kind = kind;
    }

    private enum Kind {
        GEOMETRY,
        FACTOR,
        LEVEL,
        PLAIN
    }

    /** Returns whether the operation moves pixels, so that it must be applied to masks as well. */
    boolean movesPixels() {
        return kind == Kind.GEOMETRY;
    }

    /** Returns whether the operation has a magnitude. */
    boolean hasMagnitude() {
        return kind != Kind.PLAIN;
    }

    /** Returns whether the magnitude is negated with probability 0.5. */
    boolean signed() {
        return kind == Kind.GEOMETRY || kind == Kind.FACTOR;
    }

    /** Returns torchvision's name. */
    @Override
    public String toString() {
        return text;
    }
}
