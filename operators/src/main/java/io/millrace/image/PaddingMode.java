package io.millrace.image;

/** The content of pixels around an image, with the names of numpy's and torchvision's {@code pad}. */
public enum PaddingMode {
    /** The fill colour. */
    CONSTANT,
    /** The outermost pixel, repeated. */
    EDGE,
    /** The image mirrored at its outermost pixels, which are not repeated: {@code 3 2 | 1 2 3 | 2 1}. */
    REFLECT,
    /** The image mirrored at its border, so that the outermost pixels occur twice: {@code 2 1 | 1 2 3 | 3 2}. */
    SYMMETRIC;

    /**
     * Returns the pixel of the image that is shown at a place.
     *
     * @param place any whole number, also outside of 0 to {@code extent - 1}
     * @param extent the number of rows or columns of the image
     * @return 0 to {@code extent - 1}, or -1 for the fill colour
     */
    int source(int place, int extent) {
        if (place >= 0 && place < extent) {
            return place;
        }
        return switch (this) {
            case CONSTANT -> -1;
            case EDGE -> place < 0 ? 0 : extent - 1;
            case REFLECT -> {
                int period = Math.max(2 * extent - 2, 1);
                int phase = Math.floorMod(place, period);
                yield phase < extent ? phase : period - phase;
            }
            case SYMMETRIC -> {
                int phase = Math.floorMod(place, 2 * extent);
                yield phase < extent ? phase : 2 * extent - 1 - phase;
            }
        };
    }
}
