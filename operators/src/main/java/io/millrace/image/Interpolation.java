package io.millrace.image;

/** How pixels between pixels are made up, by Pillow's definitions. */
public enum Interpolation {
    /** The pixel at the centre of the output pixel; nothing is averaged. */
    NEAREST(0),
    /** A triangle, one input pixel to each side when enlarging, one output pixel when shrinking. */
    BILINEAR(1),
    /** Keys' cubic with a = -0.5, two pixels to each side; may overshoot, so results are clamped to 0 to 255. */
    BICUBIC(2);

    private final int support;

    Interpolation(int support) {
        this.support = support;
    }

    /** Reach of the filter to each side, in the coarser pixels of input and output. */
    int support() {
        return support;
    }

    /** The filter's weight at a distance from its centre. */
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
        };
    }
}
