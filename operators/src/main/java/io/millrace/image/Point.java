package io.millrace.image;

/**
 * A place in an image, in pixels from the outer corner of the upper left pixel, whose centre is (0.5, 0.5).
 *
 * @param x the distance to the right
 * @param y the distance down
 */
public record Point(double x, double y) {
    /** Returns the middle of an image. */
    public static Point center(int height, int width) {
        return new Point(width * 0.5, height * 0.5);
    }
}
