package io.millrace.train.input;

import org.jspecify.annotations.Nullable;

/**
 * How the rows of a batch are mixed with the ones before them.
 *
 * @param share of a row's own values and label, 0 to 1; the other's is the rest
 * @param box what comes from the other row as it is; null where all values are mixed
 */
public record Mixture(double share, @Nullable Box box) {
    /**
     * A part of an image, in pixels; may be empty.
     *
     * @param right behind the last column
     * @param bottom behind the last row
     */
    record Box(int left, int top, int right, int bottom) {}

    static Mixture ofShare(double share) {
        return new Mixture(share, null);
    }

    /**
     * The box round a pixel that covers a part of {@code 1 - drawn} of an image of that size where it does not reach over the
     * edge, with torchvision's rounding. The share of the labels is that of the pixels that stay.
     */
    static Mixture ofBox(double drawn, int column, int row, int height, int width) {
        double half = 0.5 * Math.sqrt(1 - drawn);
        int halfWidth = (int) (half * width);
        int halfHeight = (int) (half * height);
        Box box = new Box(
                Math.max(0, column - halfWidth),
                Math.max(0, row - halfHeight),
                Math.min(width, column + halfWidth),
                Math.min(height, row + halfHeight));
        long pixels = (long) (box.right - box.left) * (box.bottom - box.top);
        return new Mixture(1 - (double) pixels / ((long) width * height), box);
    }
}
