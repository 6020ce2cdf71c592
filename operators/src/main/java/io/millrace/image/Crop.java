package io.millrace.image;

/**
 * A rectangle of pixels.
 *
 * @param top first row, may lie outside the image where padding is allowed
 * @param left first column
 * @param height rows, at least 1
 * @param width columns, at least 1
 */
public record Crop(int top, int left, int height, int width) {
    public Crop {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException("a crop has at least 1x1 pixels, found " + height + "x" + width);
        }
    }

    /** The whole of an image. */
    public static Crop whole(int height, int width) {
        return new Crop(0, 0, height, width);
    }

    /** Whether every pixel of it lies in an image of that size. */
    public boolean within(int imageHeight, int imageWidth) {
        return top >= 0 && left >= 0 && top + height <= imageHeight && left + width <= imageWidth;
    }

    /** For people: {@code top,left heightxwidth}. */
    @Override
    public String toString() {
        return top + "," + left + " " + height + "x" + width;
    }
}
