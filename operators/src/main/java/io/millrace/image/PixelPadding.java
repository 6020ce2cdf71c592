package io.millrace.image;

import io.millrace.sample.Field;

/** Operations that add pixels around uint8 HWC images. Stateless. */
public final class PixelPadding {
    private PixelPadding() {}

    /**
     * Puts an image on a larger or smaller canvas.
     *
     * @param image the image
     * @param canvas the canvas in the image's coordinates: {@code top} and {@code left} are negative where pixels are
     *     added
     * @param mode the content of the added pixels
     * @param fill the colour for {@link PaddingMode#CONSTANT}
     * @param spare an array that the result uses if its length is exactly right; it must not be the image's own array
     * @return a new image of the canvas' size
     */
    public static Field pad(Field image, Crop canvas, PaddingMode mode, Fill fill, byte[] spare) {
        int channels = image.channels();
        if (!fill.fits(channels)) {
            throw new IllegalArgumentException("fill " + fill + " does not fit " + image);
        }
        byte[] from = image.data();
        int rowBytes = Math.multiplyExact(canvas.width(), channels);
        int length = Math.multiplyExact(canvas.height(), rowBytes);
        byte[] pixels = spare.length == length && spare != from ? spare : new byte[length];
        int[] columns = new int[canvas.width()];
        for (int column = 0; column < columns.length; column++) {
            columns[column] = mode.source(canvas.left() + column, image.width());
        }
        // The columns between begin and end are the image's own, in one piece.
        int begin = Math.min(Math.max(-canvas.left(), 0), canvas.width());
        int end = Math.max(Math.min(image.width() - canvas.left(), canvas.width()), begin);
        for (int row = 0; row < canvas.height(); row++) {
            int source = mode.source(canvas.top() + row, image.height());
            int at = row * rowBytes;
            if (source < 0) {
                fill.paint(pixels, at, canvas.width(), channels);
                continue;
            }
            int line = source * image.width() * channels;
            side(from, line, columns, 0, begin, fill, channels, pixels, at);
            System.arraycopy(
                    from,
                    line + (canvas.left() + begin) * channels,
                    pixels,
                    at + begin * channels,
                    (end - begin) * channels);
            side(from, line, columns, end, canvas.width(), fill, channels, pixels, at);
        }
        return Field.image(canvas.height(), canvas.width(), channels, pixels);
    }

    private static void side(
            byte[] from, int line, int[] columns, int begin, int end, Fill fill, int channels, byte[] pixels, int at) {
        for (int column = begin; column < end; column++) {
            int to = at + column * channels;
            if (columns[column] < 0) {
                fill.paint(pixels, to, 1, channels);
                continue;
            }
            int source = line + columns[column] * channels;
            for (int channel = 0; channel < channels; channel++) {
                pixels[to + channel] = from[source + channel];
            }
        }
    }
}
