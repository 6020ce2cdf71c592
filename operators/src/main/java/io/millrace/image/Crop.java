package io.millrace.image;

import java.nio.ByteBuffer;

/**
 * A rectangle of pixels.
 *
 * @param top the first row, which may lie outside of the image if padding is allowed
 * @param left the first column, like {@code top}
 * @param height the number of rows, at least 1
 * @param width the number of columns, at least 1
 */
public record Crop(int top, int left, int height, int width) {
    public Crop {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException("expected a crop of at least 1x1 pixels, found " + height + "x" + width);
        }
    }

    /** Returns the rectangle of a whole image. */
    public static Crop whole(int height, int width) {
        return new Crop(0, 0, height, width);
    }

    /** Returns whether every pixel of the rectangle lies within an image. */
    public boolean within(int imageHeight, int imageWidth) {
        return top >= 0 && left >= 0 && top + height <= imageHeight && left + width <= imageWidth;
    }

    /**
     * Copies the rectangle's pixels.
     *
     * @param image uint8, [rows, columns, 3]
     * @param pixels the destination, as long as the rectangle
     */
    void copy(ByteBuffer image, int columns, byte[] pixels) {
        int rowBytes = 3 * width;
        int stride = 3 * columns;
        int corner = top * stride + 3 * left;
        if (rowBytes == stride) {
            image.get(corner, pixels, 0, pixels.length);
            return;
        }
        for (int row = 0; row < height; row++) {
            image.get(corner + row * stride, pixels, row * rowBytes, rowBytes);
        }
    }

    /** Returns {@code top,left heightxwidth}. */
    @Override
    public String toString() {
        return top + "," + left + " " + height + "x" + width;
    }
}
