package io.millrace.image;

import io.millrace.sample.Field;
import java.util.Arrays;

/** Operations that move pixels of uint8 HWC images: cropping, mirroring and turning. Stateless. */
public final class PixelOps {
    private static final byte[] NONE = {};

    private PixelOps() {}

    /**
     * Cuts out a rectangle. Pixels outside of the image have the fill value.
     *
     * @param image the image
     * @param crop the rectangle
     * @param fill the value of every channel outside, 0 to 255
     */
    public static Field crop(Field image, Crop crop, int fill) {
        return crop(image, crop, fill, NONE);
    }

    /** Cuts out a rectangle, into {@code spare} if its length is exactly right. */
    public static Field crop(Field image, Crop crop, int fill, byte[] spare) {
        int channels = image.channels();
        int rowBytes = crop.width() * channels;
        int length = Math.multiplyExact(crop.height(), rowBytes);
        byte[] pixels = spare.length == length ? spare : new byte[length];
        boolean fresh = pixels != spare && fill == 0;
        if (!fresh && !crop.within(image.height(), image.width())) {
            Arrays.fill(pixels, (byte) fill);
        }
        int firstColumn = Math.max(crop.left(), 0);
        int columns = Math.min(crop.left() + crop.width(), image.width()) - firstColumn;
        int firstRow = Math.max(crop.top(), 0);
        int endRow = Math.min(crop.top() + crop.height(), image.height());
        for (int row = firstRow; columns > 0 && row < endRow; row++) {
            System.arraycopy(
                    image.data(),
                    (row * image.width() + firstColumn) * channels,
                    pixels,
                    (row - crop.top()) * rowBytes + (firstColumn - crop.left()) * channels,
                    columns * channels);
        }
        return Field.image(crop.height(), crop.width(), channels, pixels);
    }

    /**
     * Paints a rectangle, in the field's own array.
     *
     * @param image the image
     * @param area a rectangle within the image
     * @param fill a fill with as many values as the image has channels, or with one
     */
    public static void paint(Field image, Crop area, Fill fill) {
        int channels = image.channels();
        for (int row = area.top(); row < area.top() + area.height(); row++) {
            fill.paint(image.data(), (row * image.width() + area.left()) * channels, area.width(), channels);
        }
    }

    /** Swaps left and right, in the field's own array. */
    public static void mirrorColumns(Field image) {
        Kernels.chosen().mirrorColumns(image.data(), image.height(), image.width(), image.channels());
    }

    /** Swaps top and bottom, in the field's own array. */
    public static void mirrorRows(Field image) {
        byte[] pixels = image.data();
        int rowBytes = image.width() * image.channels();
        byte[] kept = new byte[rowBytes];
        int top = 0;
        int bottom = (image.height() - 1) * rowBytes;
        for (; top < bottom; top += rowBytes, bottom -= rowBytes) {
            System.arraycopy(pixels, top, kept, 0, rowBytes);
            System.arraycopy(pixels, bottom, pixels, top, rowBytes);
            System.arraycopy(kept, 0, pixels, bottom, rowBytes);
        }
    }

    /**
     * Turns an image upright.
     *
     * @param image the image
     * @param orientation EXIF's value, 1 to 8: the way in which the stored image was turned and mirrored
     * @return the image itself for 1, the image mirrored in place for 2 and 4, otherwise a new image
     */
    public static Field upright(Field image, int orientation) {
        switch (orientation) {
            case 1 -> {
                return image;
            }
            case 2 -> {
                mirrorColumns(image);
                return image;
            }
            case 3 -> {
                mirrorColumns(image);
                mirrorRows(image);
                return image;
            }
            case 4 -> {
                mirrorRows(image);
                return image;
            }
            case 5 -> {
                return transposed(image);
            }
            case 6 -> {
                Field turned = transposed(image);
                mirrorColumns(turned);
                return turned;
            }
            case 7 -> {
                Field turned = transposed(image);
                mirrorColumns(turned);
                mirrorRows(turned);
                return turned;
            }
            case 8 -> {
                Field turned = transposed(image);
                mirrorRows(turned);
                return turned;
            }
            default -> throw new IllegalArgumentException("expected an orientation of 1 to 8, found " + orientation);
        }
    }

    /**
     * Turns an image by quarters.
     *
     * @param image the image
     * @param quarters the number of quarter turns counter-clockwise, 0 to 3
     * @param spare an array that the result uses if its length is exactly right; it must not be the image's own array
     * @return a new image
     */
    public static Field turned(Field image, int quarters, byte[] spare) {
        int channels = image.channels();
        int height = image.height();
        int width = image.width();
        byte[] from = image.data();
        byte[] pixels = spare.length == from.length && spare != from ? spare : new byte[from.length];
        // The index of the pixel that (0, 0) becomes, and the distances between neighbours of a row and of a column.
        int start;
        int alongRow;
        int alongColumn;
        switch (quarters) {
            case 0 -> {
                start = 0;
                alongRow = 1;
                alongColumn = width;
            }
            case 1 -> {
                start = (width - 1) * height;
                alongRow = -height;
                alongColumn = 1;
            }
            case 2 -> {
                start = height * width - 1;
                alongRow = -1;
                alongColumn = -width;
            }
            case 3 -> {
                start = height - 1;
                alongRow = height;
                alongColumn = -1;
            }
            default -> throw new IllegalArgumentException("expected 0 to 3 quarters, found " + quarters);
        }
        int at = 0;
        for (int row = 0; row < height; row++) {
            int to = (start + row * alongColumn) * channels;
            for (int column = 0; column < width; column++, to += alongRow * channels) {
                for (int channel = 0; channel < channels; channel++) {
                    pixels[to + channel] = from[at++];
                }
            }
        }
        return quarters % 2 == 0
                ? Field.image(height, width, channels, pixels)
                : Field.image(width, height, channels, pixels);
    }

    /** Exchanges rows and columns. */
    private static Field transposed(Field image) {
        int channels = image.channels();
        int height = image.height();
        int width = image.width();
        byte[] pixels = new byte[image.data().length];
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                System.arraycopy(
                        image.data(),
                        (row * width + column) * channels,
                        pixels,
                        (column * height + row) * channels,
                        channels);
            }
        }
        return Field.image(width, height, channels, pixels);
    }
}
