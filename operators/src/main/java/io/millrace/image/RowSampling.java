package io.millrace.image;

import io.millrace.sample.Field;

/**
 * The values of an image at places between its pixels, computed one row of places at a time. The filters are those of
 * Pillow's {@code Image.transform} (src/libImaging/Geometry.c), with the same operations on doubles in the same order.
 * A place outside of the image has the fill value. Near the edge, the outermost pixels are repeated. Stateless.
 */
final class RowSampling {
    private RowSampling() {}

    static void nearest(Field image, double[] xs, double[] ys, int count, Fill fill, byte[] result, int at) {
        byte[] pixels = image.data();
        int channels = image.channels();
        int width = image.width();
        int height = image.height();
        for (int i = 0; i < count; i++, at += channels) {
            if (outside(xs[i], ys[i], width, height)) {
                fill.paint(result, at, 1, channels);
                continue;
            }
            int column = (int) xs[i];
            int row = (int) ys[i];
            int from = (row * width + column) * channels;
            for (int channel = 0; channel < channels; channel++) {
                result[at + channel] = pixels[from + channel];
            }
        }
    }

    static void bilinear(Field image, double[] xs, double[] ys, int count, Fill fill, byte[] result, int at) {
        byte[] pixels = image.data();
        int channels = image.channels();
        int width = image.width();
        int height = image.height();
        for (int i = 0; i < count; i++, at += channels) {
            if (outside(xs[i], ys[i], width, height)) {
                fill.paint(result, at, 1, channels);
                continue;
            }
            double x = xs[i] - 0.5;
            double y = ys[i] - 0.5;
            int column = floor(x);
            int row = floor(y);
            double dx = x - column;
            double dy = y - row;
            int left = Math.max(column, 0) * channels;
            int right = Math.min(column + 1, width - 1) * channels;
            int upper = Math.max(row, 0) * width * channels;
            int lower = Math.min(row + 1, height - 1) * width * channels;
            for (int channel = 0; channel < channels; channel++) {
                int a = pixels[upper + left + channel] & 255;
                int b = pixels[upper + right + channel] & 255;
                int c = pixels[lower + left + channel] & 255;
                int d = pixels[lower + right + channel] & 255;
                double above = a + (b - a) * dx;
                double below = c + (d - c) * dx;
                result[at + channel] = (byte) (int) (above + (below - above) * dy);
            }
        }
    }

    static void bicubic(Field image, double[] xs, double[] ys, int count, Fill fill, byte[] result, int at) {
        byte[] pixels = image.data();
        int channels = image.channels();
        int width = image.width();
        int height = image.height();
        for (int i = 0; i < count; i++, at += channels) {
            if (outside(xs[i], ys[i], width, height)) {
                fill.paint(result, at, 1, channels);
                continue;
            }
            double x = xs[i] - 0.5;
            double y = ys[i] - 0.5;
            int column = floor(x);
            int row = floor(y);
            double dx = x - column;
            double dy = y - row;
            int first = clamp(column - 1, width) * channels;
            int second = clamp(column, width) * channels;
            int third = clamp(column + 1, width) * channels;
            int fourth = clamp(column + 2, width) * channels;
            int stride = width * channels;
            int top = clamp(row - 1, height) * stride;
            int upper = clamp(row, height) * stride;
            int lower = clamp(row + 1, height) * stride;
            int bottom = clamp(row + 2, height) * stride;
            for (int channel = 0; channel < channels; channel++) {
                double value = cubic(
                        across(pixels, top + channel, first, second, third, fourth, dx),
                        across(pixels, upper + channel, first, second, third, fourth, dx),
                        across(pixels, lower + channel, first, second, third, fourth, dx),
                        across(pixels, bottom + channel, first, second, third, fourth, dx),
                        dy);
                result[at + channel] = (byte) (value <= 0 ? 0 : value >= 255 ? 255 : (int) value);
            }
        }
    }

    private static double across(byte[] pixels, int line, int first, int second, int third, int fourth, double d) {
        int a = pixels[line + first] & 255;
        int b = pixels[line + second] & 255;
        int c = pixels[line + third] & 255;
        int e = pixels[line + fourth] & 255;
        // On whole numbers the sums are exact in any order.
        return b + d * ((c - a) + d * ((2 * (a - b) + c - e) + d * (b - a - c + e)));
    }

    private static double cubic(double a, double b, double c, double e, double d) {
        double p2 = -a + c;
        double p3 = 2 * (a - b) + c - e;
        double p4 = -a + b - c + e;
        return b + d * (p2 + d * (p3 + d * p4));
    }

    /** Returns whether a place is outside, which includes NaN from a division by zero. */
    private static boolean outside(double x, double y, int width, int height) {
        return !(x >= 0 && x < width && y >= 0 && y < height);
    }

    /** Rounds a value above -1 down. */
    private static int floor(double value) {
        return value < 0 ? -1 : (int) value;
    }

    private static int clamp(int index, int extent) {
        return Math.min(Math.max(index, 0), extent - 1);
    }
}
