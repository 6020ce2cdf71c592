package io.millrace.image;

/**
 * Where each pixel of a result comes from: a function from a {@link Point} of the result to one of the picture. Maps go
 * this way round because every pixel of the result is looked up, never the other way.
 */
public sealed interface PixelMap permits AffineMap, PerspectiveMap {
    /**
     * Maps the centres of a row's pixels, with the arithmetic of Pillow's transforms (src/libImaging/Geometry.c): the
     * same operations in the same order, so that the last bits agree.
     *
     * @param row of the result, from 0
     * @param columns how many are mapped, from column 0 on
     * @param xs receives the places in the picture
     * @param ys likewise
     */
    void row(int row, int columns, double[] xs, double[] ys);
}
