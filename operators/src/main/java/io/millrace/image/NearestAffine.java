package io.millrace.image;

import io.millrace.sample.Field;

/**
 * The nearest pixel under each place of an affine map, by the methods of Pillow's {@code ImagingTransformAffine}
 * (src/libImaging/Geometry.c). The three methods have different rounding errors. Without shear and rotation there is a
 * table for each axis. Otherwise the places are computed in steps of 16.16 fixed point, or in steps of doubles if fixed
 * point would overflow. Stateless.
 */
final class NearestAffine {
    private static final int FRACTION_BITS = 16;

    /** The limit of coordinates in fixed point. */
    private static final double FIXED_LIMIT = 32768;

    private NearestAffine() {}

    /** Fills {@code result} with {@code height * width} pixels. */
    static void sample(Field image, AffineMap map, Fill fill, int height, int width, byte[] result) {
        if (map.b() == 0 && map.d() == 0) {
            scale(image, map, fill, height, width, result);
        } else if (fits(map, 0, 0) && fits(map, width, height) && fits(map, 0, height) && fits(map, width, 0)) {
            stepFixed(image, map, fill, height, width, result);
        } else {
            step(image, map, fill, height, width, result);
        }
    }

    private static boolean fits(AffineMap map, int x, int y) {
        Point place = map.at(x, y);
        return Math.abs(place.x()) < FIXED_LIMIT && Math.abs(place.y()) < FIXED_LIMIT;
    }

    private static void scale(Field image, AffineMap map, Fill fill, int height, int width, byte[] result) {
        int channels = image.channels();
        int[] columns = places(map.c() + map.a() * 0.5, map.a(), width, image.width());
        int[] rows = places(map.f() + map.e() * 0.5, map.e(), height, image.height());
        int at = 0;
        for (int row : rows) {
            if (row < 0) {
                fill.paint(result, at, width, channels);
                at += width * channels;
                continue;
            }
            for (int column : columns) {
                if (column < 0) {
                    fill.paint(result, at, 1, channels);
                } else {
                    copy(image, column, row, result, at);
                }
                at += channels;
            }
        }
    }

    /**
     * Returns the pixel for each of {@code count} places, or -1 outside of the image. The steps are added up as in
     * Pillow, with the same rounding errors.
     */
    private static int[] places(double first, double step, int count, int extent) {
        int[] places = new int[count];
        double place = first;
        for (int i = 0; i < count; i++) {
            places[i] = place >= 0 && place < extent ? (int) place : -1;
            place += step;
        }
        return places;
    }

    private static void stepFixed(Field image, AffineMap map, Fill fill, int height, int width, byte[] result) {
        int channels = image.channels();
        int columns = image.width();
        int rows = image.height();
        byte[] pixels = image.data();
        int a = fixed(map.a());
        int b = fixed(map.b());
        int d = fixed(map.d());
        int e = fixed(map.e());
        int startX = fixed(map.c() + map.a() * 0.5 + map.b() * 0.5);
        int startY = fixed(map.f() + map.d() * 0.5 + map.e() * 0.5);
        for (int row = 0; row < height; row++, startX += b, startY += e) {
            // A straight line enters and leaves the image at most once.
            int begin = 0;
            while (begin < width && !inside(startX + begin * a, startY + begin * d, columns, rows)) {
                begin++;
            }
            int end = width;
            while (end > begin && !inside(startX + (end - 1) * a, startY + (end - 1) * d, columns, rows)) {
                end--;
            }
            int at = row * width * channels;
            fill.paint(result, at, begin, channels);
            fill.paint(result, at + end * channels, width - end, channels);
            int x = startX + begin * a;
            int y = startY + begin * d;
            at += begin * channels;
            for (int column = begin; column < end; column++, x += a, y += d) {
                int from = ((y >> FRACTION_BITS) * columns + (x >> FRACTION_BITS)) * channels;
                result[at++] = pixels[from];
                if (channels == 3) {
                    result[at++] = pixels[from + 1];
                    result[at++] = pixels[from + 2];
                }
            }
        }
    }

    private static boolean inside(int x, int y, int columns, int rows) {
        int column = x >> FRACTION_BITS;
        int row = y >> FRACTION_BITS;
        return column >= 0 && column < columns && row >= 0 && row < rows;
    }

    private static void step(Field image, AffineMap map, Fill fill, int height, int width, byte[] result) {
        int channels = image.channels();
        double startX = map.c() + map.b() * 0.5 + map.a() * 0.5;
        double startY = map.f() + map.e() * 0.5 + map.d() * 0.5;
        int at = 0;
        for (int row = 0; row < height; row++) {
            double x = startX;
            double y = startY;
            for (int column = 0; column < width; column++, at += channels) {
                if (x >= 0 && x < image.width() && y >= 0 && y < image.height()) {
                    copy(image, (int) x, (int) y, result, at);
                } else {
                    fill.paint(result, at, 1, channels);
                }
                x += map.a();
                y += map.d();
            }
            startX += map.b();
            startY += map.e();
        }
    }

    private static int fixed(double value) {
        return (int) Math.floor(value * (1 << FRACTION_BITS) + 0.5);
    }

    private static void copy(Field image, int column, int row, byte[] result, int at) {
        int channels = image.channels();
        int from = (row * image.width() + column) * channels;
        byte[] pixels = image.data();
        for (int channel = 0; channel < channels; channel++) {
            result[at + channel] = pixels[from + channel];
        }
    }
}
