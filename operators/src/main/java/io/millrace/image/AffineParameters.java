package io.millrace.image;

import java.util.Locale;

/**
 * An affine change of a picture in torchvision's terms ({@code functional.affine}): scaled and sheared, then turned, all
 * around a centre that stays, then moved.
 *
 * @param degrees turned by, clockwise
 * @param translateX moved by, in pixels to the right
 * @param translateY moved by, in pixels down
 * @param scale over 0; 2 makes things twice as large
 * @param shearX degrees of the shear along rows
 * @param shearY degrees of the shear along columns
 */
public record AffineParameters(
        double degrees, int translateX, int translateY, double scale, double shearX, double shearY) {
    public AffineParameters {
        if (!(scale > 0)) {
            throw new IllegalArgumentException("a scale is over 0, found " + scale);
        }
    }

    /** Only moved. */
    public static AffineParameters translation(int x, int y) {
        return new AffineParameters(0, x, y, 1, 0, 0);
    }

    /** Only sheared, by so many degrees. */
    public static AffineParameters shear(double x, double y) {
        return new AffineParameters(0, 0, 0, 1, x, y);
    }

    /**
     * The map from the result back to the picture: {@code _get_inverse_affine_matrix} of torchvision's v2, the same
     * operations in the same order.
     */
    public AffineMap about(Point center) {
        double turn = Math.toRadians(degrees);
        double sheared = Math.toRadians(shearY);
        double tan = Math.tan(Math.toRadians(shearX));
        double cos = Math.cos(sheared);
        double a = Math.cos(turn - sheared) / cos;
        double b = -(a * tan + Math.sin(turn));
        double c = Math.sin(turn - sheared) / cos;
        double d = Math.cos(turn) - c * tan;
        // The determinant of [[a, b], [c, d]] is 1, so its inverse is this.
        double xx = d / scale;
        double xy = -b / scale;
        double yx = -c / scale;
        double yy = a / scale;
        double movedX = center.x() + translateX;
        double movedY = center.y() + translateY;
        return new AffineMap(
                xx, xy, center.x() - xx * movedX - xy * movedY, yx, yy, center.y() - yx * movedX - yy * movedY);
    }

    /** For people, in the order of the parameters. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "angle %.1f, translate %d,%d, scale %.3f, shear %.1f,%.1f",
                degrees,
                translateX,
                translateY,
                scale,
                shearX,
                shearY);
    }
}
