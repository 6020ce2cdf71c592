package io.millrace.image;

/** The interpolation between pixels, by Pillow's definitions. */
public enum Interpolation {
    /** The input pixel at the centre of the output pixel, without an average. */
    NEAREST(0),
    /** A triangle that covers one input pixel to each side when enlarging and one output pixel when shrinking. */
    BILINEAR(1),
    /** Keys' cubic with a = -0.5 and two pixels to each side. It may overshoot, so results are clamped to 0 to 255. */
    BICUBIC(2),
    /** An average of half a pixel to each side. This filter and the filters below are only for resizing. */
    BOX(0.5),
    /** A sinc of one pixel to each side, with Hamming's window. */
    HAMMING(1),
    /** A sinc of three pixels to each side, with its own first lobe as the window. It overshoots like the cubic. */
    LANCZOS(3);

    /** A constant of Hamming's window, in single precision as in Pillow. */
    private static final double HAMMING_BASE = 0.54f;

    private static final double HAMMING_SWING = 0.46f;

    private final double support;

    Interpolation(double support) {
        this.support = support;
    }

    /**
     * Returns the reach of the filter to each side, in pixels of the input or the output. The larger pixels count.
     */
    double support() {
        return support;
    }

    /** Returns whether some weights are negative, so that results may leave 0 to 255. */
    boolean overshoots() {
        return this == BICUBIC || this == LANCZOS;
    }

    /** Returns the filter's weight at a distance to the right of its centre. */
    double weight(double distance) {
        double x = Math.abs(distance);
        return switch (this) {
            case NEAREST -> throw new IllegalStateException("nearest has no weights");
            case BILINEAR -> x < 1 ? 1 - x : 0;
            case BICUBIC -> {
                double a = -0.5;
                if (x < 1) {
                    yield ((a + 2) * x - (a + 3)) * x * x + 1;
                }
                yield x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
            }
            case BOX -> distance > -0.5 && distance <= 0.5 ? 1 : 0;
            case HAMMING -> x < 1 ? sinc(x) * (HAMMING_BASE + HAMMING_SWING * Math.cos(x * Math.PI)) : 0;
            case LANCZOS -> distance >= -3 && distance < 3 ? sinc(distance) * sinc(distance / 3) : 0;
        };
    }

    private static double sinc(double x) {
        return x == 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI);
    }
}
