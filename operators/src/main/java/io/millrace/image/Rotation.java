package io.millrace.image;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * A rotation by the rules of Pillow's {@code Image.rotate}, which torchvision's {@code functional.rotate} calls.
 *
 * @param degrees the angle, counter-clockwise, any number
 * @param center the fixed point; empty for the middle of the image
 * @param canvas the size of the result
 */
public record Rotation(double degrees, Optional<Point> center, Canvas canvas) {
    private static final int DECIMALS = 15;

    /** The size of the result. */
    public enum Canvas {
        /** The size of the image; corners are cut off. */
        SAME,
        /** The size that the whole image needs after a rotation around its middle. */
        EXPANDED
    }

    /** Returns a rotation around the middle, on a canvas of the same size. */
    public static Rotation by(double degrees) {
        return new Rotation(degrees, Optional.empty(), Canvas.SAME);
    }

    /**
     * A rotation of images of one size.
     *
     * @param map the map from the result to the image
     * @param height the rows of the result
     * @param width the columns of the result
     */
    record Plan(AffineMap map, int height, int width) {}

    /**
     * Returns the number of counter-clockwise quarter turns, 0 to 3, if Pillow only moves the pixels for this rotation.
     * Otherwise the result is empty.
     */
    Optional<Integer> quarters(int height, int width) {
        double turn = turn();
        if (center.isPresent() || turn % 90 != 0) {
            return Optional.empty();
        }
        int quarters = (int) (turn / 90) % 4;
        boolean fits = quarters % 2 == 0 || canvas == Canvas.EXPANDED || height == width;
        return fits ? Optional.of(quarters) : Optional.empty();
    }

    /** Returns the map for images of a size. */
    Plan plan(int height, int width) {
        double angle = -Math.toRadians(turn());
        double cos = rounded(Math.cos(angle));
        double sin = rounded(Math.sin(angle));
        double minusSin = rounded(-Math.sin(angle));
        Point pivot = center.orElse(Point.center(height, width));
        Point moved = new AffineMap(cos, sin, 0, minusSin, cos, 0).at(-pivot.x(), -pivot.y());
        AffineMap map = new AffineMap(cos, sin, moved.x() + pivot.x(), minusSin, cos, moved.y() + pivot.y());
        if (canvas == Canvas.SAME) {
            return new Plan(map, height, width);
        }
        Point[] corners = {map.at(0, 0), map.at(width, 0), map.at(width, height), map.at(0, height)};
        double left = corners[0].x();
        double right = left;
        double top = corners[0].y();
        double bottom = top;
        for (Point corner : corners) {
            left = Math.min(left, corner.x());
            right = Math.max(right, corner.x());
            top = Math.min(top, corner.y());
            bottom = Math.max(bottom, corner.y());
        }
        int rows = (int) (Math.ceil(bottom) - Math.floor(top));
        int columns = (int) (Math.ceil(right) - Math.floor(left));
        Point origin = map.at(-(columns - width) / 2.0, -(rows - height) / 2.0);
        return new Plan(new AffineMap(cos, sin, origin.x(), minusSin, cos, origin.y()), rows, columns);
    }

    /** Returns the angle in [0, 360], as Python's {@code %} computes it. */
    private double turn() {
        double turn = degrees % 360;
        return turn < 0 ? turn + 360 : turn;
    }

    /**
     * Rounds like Python's {@code round(value, 15)}, with which Pillow removes the rounding error of the sine of half
     * turns.
     */
    private static double rounded(double value) {
        return new BigDecimal(value).setScale(DECIMALS, RoundingMode.HALF_EVEN).doubleValue();
    }
}
