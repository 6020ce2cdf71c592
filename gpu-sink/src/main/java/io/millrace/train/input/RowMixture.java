package io.millrace.train.input;

import org.jspecify.annotations.Nullable;

/**
 * The drawn parameters by which the rows of a batch are mixed with the rows before them.
 *
 * @param share the share of a row's own values and label, 0 to 1; the rest comes from the other row
 * @param box the part of the image that comes from the other row unchanged; null when all values are mixed
 */
public record RowMixture(double share, @Nullable Box box) {
    /**
     * A part of an image, in pixels. It may be empty.
     *
     * @param right the column after the last column
     * @param bottom the row after the last row
     */
    record Box(int left, int top, int right, int bottom) {}

    static RowMixture ofShare(double share) {
        return new RowMixture(share, null);
    }

    /**
     * Returns a mixture with a box around a pixel. The box covers the share {@code 1 - drawn} of an image of this size,
     * or less if it is cut off at an edge. The rounding is that of torchvision. The share of the labels is the share of
     * the pixels that stay.
     */
    static RowMixture ofBox(double drawn, int column, int row, int height, int width) {
        double half = 0.5 * Math.sqrt(1 - drawn);
        int halfWidth = (int) (half * width);
        int halfHeight = (int) (half * height);
        Box box = new Box(
                Math.max(0, column - halfWidth),
                Math.max(0, row - halfHeight),
                Math.min(width, column + halfWidth),
                Math.min(height, row + halfHeight));
        long pixels = (long) (box.right - box.left) * (box.bottom - box.top);
        return new RowMixture(1 - (double) pixels / ((long) width * height), box);
    }
}
