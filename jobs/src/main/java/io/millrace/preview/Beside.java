package io.millrace.preview;

import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;

/** The combination of several images into one picture. Stateless. */
final class Beside {
    private static final int GAP = 6;
    private static final byte WHITE = (byte) 255;

    private Beside() {}

    /** Returns a single image unchanged, and several images beside each other on white, as one image of three channels. */
    static Field of(List<Field> pictures) {
        if (pictures.size() == 1) {
            return pictures.get(0);
        }
        int height = pictures.stream().mapToInt(Field::height).max().orElseThrow();
        int width = pictures.stream().mapToInt(Field::width).sum() + GAP * (pictures.size() - 1);
        byte[] pixels = new byte[3 * height * width];
        Arrays.fill(pixels, WHITE);
        int left = 0;
        for (Field picture : pictures) {
            paste(picture, pixels, width, left);
            left += picture.width() + GAP;
        }
        return Field.image(height, width, 3, pixels);
    }

    private static void paste(Field picture, byte[] pixels, int width, int left) {
        int channels = picture.channels();
        for (int row = 0; row < picture.height(); row++) {
            for (int column = 0; column < picture.width(); column++) {
                int from = (row * picture.width() + column) * channels;
                int to = 3 * (row * width + left + column);
                for (int channel = 0; channel < 3; channel++) {
                    pixels[to + channel] = picture.data()[from + Math.min(channel, channels - 1)];
                }
            }
        }
    }
}
