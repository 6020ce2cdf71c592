package io.millrace.transform;

/** The operations of the automatic augmentations, by torchvision's names. */
enum Augmentation {
    /** Nothing. */
    IDENTITY("Identity", Kind.PLAIN),
    /** Shears along rows, by so many pixels per row. */
    SHEAR_X("ShearX", Kind.GEOMETRY),
    /** Shears along columns, by so many pixels per column. */
    SHEAR_Y("ShearY", Kind.GEOMETRY),
    /** Moves to the right, by so many pixels, cut to a whole number. */
    TRANSLATE_X("TranslateX", Kind.GEOMETRY),
    /** Moves down, by so many pixels, cut to a whole number. */
    TRANSLATE_Y("TranslateY", Kind.GEOMETRY),
    /** Turns counter-clockwise, by so many degrees. */
    ROTATE("Rotate", Kind.GEOMETRY),
    /** Brightness by a factor of 1 and the magnitude. */
    BRIGHTNESS("Brightness", Kind.FACTOR),
    /** Saturation by a factor of 1 and the magnitude. */
    COLOR("Color", Kind.FACTOR),
    /** Contrast by a factor of 1 and the magnitude. */
    CONTRAST("Contrast", Kind.FACTOR),
    /** Sharpness by a factor of 1 and the magnitude. */
    SHARPNESS("Sharpness", Kind.FACTOR),
    /** Keeps so many bits. */
    POSTERIZE("Posterize", Kind.LEVEL),
    /** Inverts what is at or over that part of 255. */
    SOLARIZE("Solarize", Kind.LEVEL),
    /** Stretches each channel to 0 to 255. */
    AUTO_CONTRAST("AutoContrast", Kind.PLAIN),
    /** Makes the values of each channel equally frequent. */
    EQUALIZE("Equalize", Kind.PLAIN),
    /** Makes a negative. */
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

    /** Whether pixels move, so that masks have to follow. */
    boolean movesPixels() {
        return kind == Kind.GEOMETRY;
    }

    /** Whether there is a weaker and a stronger. */
    boolean hasMagnitude() {
        return kind != Kind.PLAIN;
    }

    /** Whether the magnitude is negated half of the time. */
    boolean signed() {
        return kind == Kind.GEOMETRY || kind == Kind.FACTOR;
    }

    /** torchvision's name. */
    @Override
    public String toString() {
        return text;
    }
}
