package io.millrace.image;

/**
 * A function from a {@link Point} of a result to the point of the image from which it comes. Maps have this direction
 * because every pixel of the result is looked up in the image.
 */
public sealed interface PixelMap permits AffineMap, PerspectiveMap {
    /**
     * Maps the centres of a row's pixels with the arithmetic of Pillow's transforms (src/libImaging/Geometry.c): the
     * same operations in the same order, so that the last bits agree.
     *
     * @param row the row of the result, from 0
     * @param columns the number of columns to map, from column 0 on
     * @param xs receives the x coordinates in the image
     * @param ys receives the y coordinates in the image
     */
    void row(int row, int columns, double[] xs, double[] ys);
}
