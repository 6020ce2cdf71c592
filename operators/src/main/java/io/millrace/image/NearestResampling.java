package io.millrace.image;

import io.millrace.sample.Field;

/** Takes the pixel at the centre of each output pixel, as Pillow's {@code ImagingScaleAffine} does (Geometry.c). */
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

    /** For each place of the result, the one that it comes from. */
    static int[] sources(int in, int out) {
        double scale = (double) in / out;
        int[] sources = new int[out];
        // Summed up and not multiplied: Pillow's rounding errors are part of its result.
        double position = scale * 0.5;
        for (int x = 0; x < out; x++) {
            sources[x] = Math.min((int) position, in - 1);
            position += scale;
        }
        return sources;
    }
}
