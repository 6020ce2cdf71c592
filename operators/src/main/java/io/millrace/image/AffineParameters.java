package io.millrace.image;

import java.util.Locale;

/**
 * An affine change of an image in torchvision's terms ({@code functional.affine}): it scales and shears, then rotates,
 * and then moves the image. Scaling, shearing and rotation keep one centre fixed.
 *
 * @param degrees the rotation, clockwise
 * @param translateX the movement to the right, in pixels
 * @param translateY the movement down, in pixels
 * @param scale the factor of the size, above 0; 2 doubles the size
 * @param shearX the shear along rows, in degrees
 * @param shearY the shear along columns, in degrees
 */
public record AffineParameters(
        double degrees, int translateX, int translateY, double scale, double shearX, double shearY) {
    public AffineParameters {
        if (!(scale > 0)) {
            throw new IllegalArgumentException("expected a scale above 0, found " + scale);
        }
    }

    /** Returns the parameters of a movement. */
    public static AffineParameters translation(int x, int y) {
        return new AffineParameters(0, x, y, 1, 0, 0);
    }

    /** Returns the parameters of a shear, in degrees. */
    public static AffineParameters shear(double x, double y) {
        return new AffineParameters(0, 0, 0, 1, x, y);
    }

    /**
     * Returns the map from the result back to the image: {@code _get_inverse_affine_matrix} of torchvision's v2, with
     * the same operations in the same order.
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
        // The determinant of [[a, b], [c, d]] is 1, which makes its inverse simple.
        double xx = d / scale;
        double xy = -b / scale;
        double yx = -c / scale;
        double yy = a / scale;
        double movedX = center.x() + translateX;
        double movedY = center.y() + translateY;
        return new AffineMap(
                xx, xy, center.x() - xx * movedX - xy * movedY, yx, yy, center.y() - yx * movedX - yy * movedY);
    }

    /** Describes the parameters in their order. */
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
