package io.millrace.image;

/**
 * The affine map from the point (x, y) of the result to the point (a x + b y + c, d x + e y + f) of the image. The
 * six numbers have Pillow's order.
 */
public record AffineMap(double a, double b, double c, double d, double e, double f) implements PixelMap, PointMap {
    /** Returns the map of (x, y) to (scaleX x + moveX, scaleY y + moveY). */
    public static AffineMap scaling(double scaleX, double moveX, double scaleY, double moveY) {
        return new AffineMap(scaleX, 0, moveX, 0, scaleY, moveY);
    }

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
    @Override
    public Point at(double x, double y) {
        return new Point(a * x + b * y + c, d * x + e * y + f);
    }

    /** Returns the map in the other direction. Its numbers are not finite if this map makes a line or a point of the image. */
    public AffineMap inverse() {
        double determinant = a * e - b * d;
        return new AffineMap(
                e / determinant,
                -b / determinant,
                (b * f - c * e) / determinant,
                -d / determinant,
                a / determinant,
                (c * d - a * f) / determinant);
    }

    /** Returns the map whose results lie further to the right and down. */
    public AffineMap movedBy(double x, double y) {
        return new AffineMap(a, b, c + x, d, e, f + y);
    }
}
