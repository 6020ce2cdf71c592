package io.millrace.preview;

import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;

/** The combination of several images into one image. Stateless. */
final class SideBySide {
    private static final int GAP = 6;
    private static final byte WHITE = (byte) 255;

    private SideBySide() {}

    /**
     * Returns one image of three channels with all images beside each other on white. Returns a single image unchanged.
     */
    static Field of(List<Field> images) {
        if (images.size() == 1) {
            return images.get(0);
        }
        int height = images.stream().mapToInt(Field::height).max().orElseThrow();
        int width = images.stream().mapToInt(Field::width).sum() + GAP * (images.size() - 1);
        byte[] pixels = new byte[3 * height * width];
        Arrays.fill(pixels, WHITE);
        int left = 0;
        for (Field image : images) {
            paste(image, pixels, width, left);
            left += image.width() + GAP;
        }
        return Field.image(height, width, 3, pixels);
    }

    private static void paste(Field image, byte[] pixels, int width, int left) {
        int channels = image.channels();
        for (int row = 0; row < image.height(); row++) {
            for (int column = 0; column < image.width(); column++) {
                int from = (row * image.width() + column) * channels;
                int to = 3 * (row * width + left + column);
                for (int channel = 0; channel < 3; channel++) {
                    pixels[to + channel] = image.data()[from + Math.min(channel, channels - 1)];
                }
            }
        }
    }
}
