package io.millrace.image;

/**
 * The affine map from the point (x, y) of the result to the point (a x + b y + c, d x + e y + f) of the image. The
 * six numbers have Pillow's order.
 */
public record AffineMap(double a, double b, double c, double d, double e, double f) implements PixelMap {
    @Override
    public void row(int row, int columns, double[] xs, double[] ys) {
        double y = row + 0.5;
        double by = b * y;
        double ey = e * y;
        for (int column = 0; column < columns; column++) {
            double x = column + 0.5;
            xs[column] = a * x + by + c;
            ys[column] = d * x + ey + f;
        }
    }

    /** Returns the place in the image from which a point of the result comes. */
    Point at(double x, double y) {
        return new Point(a * x + b * y + c, d * x + e * y + f);
    }
}
