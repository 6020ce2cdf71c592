package io.millrace.image;

import io.millrace.sample.Field;

/**
 * A resize that uses the pixel at the centre of each output pixel, like Pillow's {@code ImagingScaleAffine}
 * (Geometry.c).
 */
final class NearestResampling {
    private NearestResampling() {}

    static Field resize(Field image, Crop crop, int height, int width) {
        int channels = image.channels();
        int[] columns = sources(crop.width(), width);
        int[] rows = sources(crop.height(), height);
        byte[] pixels = new byte[Math.multiplyExact(height, width * channels)];
        int at = 0;
        for (int row : rows) {
            int line = ((crop.top() + row) * image.width() + crop.left()) * channels;
            for (int column : columns) {
                for (int channel = 0; channel < channels; channel++) {
                    pixels[at++] = image.data()[line + column * channels + channel];
                }
            }
        }
        return Field.image(height, width, channels, pixels);
    }

    /** Returns the source place of each place of the result. */
    static int[] sources(int in, int out) {
        double scale = (double) in / out;
        int[] sources = new int[out];
        // Steps are added and not multiplied, because Pillow's rounding errors are part of its result.
        double position = scale * 0.5;
        for (int x = 0; x < out; x++) {
            sources[x] = Math.min((int) position, in - 1);
            position += scale;
        }
        return sources;
    }
}
