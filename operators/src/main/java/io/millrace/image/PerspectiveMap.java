package io.millrace.image;

import java.util.List;
import java.util.Optional;

/**
 * The perspective map from the point (x, y) of the result to the point ((a x + b y + c) / (g x + h y + 1), (d x + e y +
 * f) / (g x + h y + 1)) of the image. The eight numbers have Pillow's order.
 */
public record PerspectiveMap(double a, double b, double c, double d, double e, double f, double g, double h)
        implements PixelMap {
    private static final int UNKNOWNS = 8;

    /**
     * Returns the centres of an image's corner pixels as torchvision counts them, from 0: upper left, upper right,
     * lower right, lower left. By torchvision's rule, they differ by half a pixel from the {@link Point}s that Pillow
     * maps.
     */
    public static List<Point> corners(int height, int width) {
        return List.of(
                new Point(0, 0), new Point(width - 1, 0), new Point(width - 1, height - 1), new Point(0, height - 1));
    }

    /**
     * Returns the map from four points of the result to four points of the image. torchvision's {@code
     * _get_perspective_coeffs} solves the same equations by least squares in double precision and rounds the eight
     * numbers to single precision, as this method does. Numbers that should be 0 may have other rounding errors than in
     * torchvision, of about 1e-16.
     *
     * @param image four corners in the image
     * @param result their places in the result
     * @return the map; empty when three points of the result lie on a line, so that no such map exists
     */
    public static Optional<PerspectiveMap> between(List<Point> image, List<Point> result) {
        if (image.size() != 4 || result.size() != 4) {
            throw new IllegalArgumentException(
                    "expected four corners and their four new places, found " + image + " and " + result);
        }
        double[][] equations = new double[UNKNOWNS][];
        for (int i = 0; i < 4; i++) {
            Point to = result.get(i);
            Point from = image.get(i);
            equations[2 * i] =
                    new double[] {to.x(), to.y(), 1, 0, 0, 0, -from.x() * to.x(), -from.x() * to.y(), from.x()};
            equations[2 * i + 1] =
                    new double[] {0, 0, 0, to.x(), to.y(), 1, -from.y() * to.x(), -from.y() * to.y(), from.y()};
        }
        return solve(equations)
                .map(s -> new PerspectiveMap(
                        (float) s[0],
                        (float) s[1],
                        (float) s[2],
                        (float) s[3],
                        (float) s[4],
                        (float) s[5],
                        (float) s[6],
                        (float) s[7]));
    }

    /**
     * Solves the equations by Gaussian elimination with the largest pivot of each column. Each row ends with its right
     * side.
     */
    private static Optional<double[]> solve(double[][] rows) {
        for (int column = 0; column < UNKNOWNS; column++) {
            int pivot = column;
            for (int row = column + 1; row < UNKNOWNS; row++) {
                if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) {
                    pivot = row;
                }
            }
            double[] chosen = rows[pivot];
            rows[pivot] = rows[column];
            rows[column] = chosen;
            // Corners are whole numbers. If the determinant is not 0, the pivots are far above this limit.
            if (Math.abs(chosen[column]) < 1e-9) {
                return Optional.empty();
            }
            for (int row = column + 1; row < UNKNOWNS; row++) {
                double factor = rows[row][column] / chosen[column];
                for (int i = column; i <= UNKNOWNS; i++) {
                    rows[row][i] -= factor * chosen[i];
                }
            }
        }
        double[] solution = new double[UNKNOWNS];
        for (int row = UNKNOWNS - 1; row >= 0; row--) {
            double rest = rows[row][UNKNOWNS];
            for (int i = row + 1; i < UNKNOWNS; i++) {
                rest -= rows[row][i] * solution[i];
            }
            solution[row] = rest / rows[row][row];
        }
        return Optional.of(solution);
    }

    /** Returns the map in the other direction, from the image to the result. */
    public PointMap inverse() {
        return (x, y) -> {
            double depth = (d * h - e * g) * x + (b * g - a * h) * y + a * e - b * d;
            return new Point(
                    ((e - f * h) * x + (c * h - b) * y + b * f - c * e) / depth,
                    ((f * g - d) * x + (a - c * g) * y + c * d - a * f) / depth);
        };
    }

    @Override
    public void row(int row, int columns, double[] xs, double[] ys) {
        double y = row + 0.5;
        double by = b * y;
        double ey = e * y;
        double hy = h * y;
        for (int column = 0; column < columns; column++) {
            double x = column + 0.5;
            double depth = g * x + hy + 1;
            xs[column] = (a * x + by + c) / depth;
            ys[column] = (d * x + ey + f) / depth;
        }
    }
}
