package io.millrace.preview;

import io.millrace.sample.Field;
import java.util.Arrays;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;

/** An image that is being drawn. Colours are 0xRRGGBB; parts outside of the image are clipped. Not thread-safe. */
final class Raster {
    private static final int CHANNELS = 3;

    private final int width;
    private final int height;

    /** The pixels as blue, green, red, which is OpenCV's order. */
    private final byte[] pixels;

    Raster(int width, int height, int color) {
        this.width = width;
        this.height = height;
        this.pixels = new byte[Math.multiplyExact(Math.multiplyExact(width, height), CHANNELS)];
        fill(0, 0, width, height, color);
    }

    void fill(int left, int top, int fillWidth, int fillHeight, int color) {
        int right = Math.min(left + fillWidth, width);
        for (int y = Math.max(top, 0); y < Math.min(top + fillHeight, height); y++) {
            for (int x = Math.max(left, 0); x < right; x++) {
                set(x, y, color);
            }
        }
    }

    /** Draws a frame of one pixel within the rectangle. */
    void frame(int left, int top, int frameWidth, int frameHeight, int color) {
        fill(left, top, frameWidth, 1, color);
        fill(left, top + frameHeight - 1, frameWidth, 1, color);
        fill(left, top, 1, frameHeight, color);
        fill(left + frameWidth - 1, top, 1, frameHeight, color);
    }

    /** Copies a uint8 image of 1 or 3 channels to a position. */
    void image(int left, int top, Field image) {
        byte[] data = image.data();
        int channels = image.channels();
        for (int y = 0; y < Math.min(image.height(), height - top); y++) {
            for (int x = 0; x < Math.min(image.width(), width - left); x++) {
                int from = (y * image.width() + x) * channels;
                int red = data[from] & 0xFF;
                int green = channels == 1 ? red : data[from + 1] & 0xFF;
                int blue = channels == 1 ? red : data[from + 2] & 0xFF;
                set(left + x, top + y, red << 16 | green << 8 | blue);
            }
        }
    }

    /** Writes text from the column {@code left} on the row {@code baseline}. */
    void text(int left, int baseline, String text, Lettering lettering, int color) {
        if (text.isBlank()) {
            return;
        }
        Lettering.Drawn drawn = lettering.draw(text);
        Field ink = drawn.coverage();
        for (int row = 0; row < ink.height(); row++) {
            int y = baseline - drawn.baseline() + row;
            for (int column = 0; column < ink.width(); column++) {
                int x = left - drawn.left() + column;
                int coverage = ink.data()[row * ink.width() + column] & 0xFF;
                if (coverage > 0 && x >= 0 && x < width && y >= 0 && y < height) {
                    blend(x, y, color, coverage);
                }
            }
        }
    }

    private void blend(int x, int y, int color, int coverage) {
        int at = (y * width + x) * CHANNELS;
        for (int channel = 0; channel < CHANNELS; channel++) {
            int ink = color >>> (8 * channel) & 0xFF;
            int paper = pixels[at + channel] & 0xFF;
            pixels[at + channel] = (byte) ((ink * coverage + paper * (255 - coverage) + 127) / 255);
        }
    }

    private void set(int x, int y, int color) {
        int at = (y * width + x) * CHANNELS;
        pixels[at] = (byte) color;
        pixels[at + 1] = (byte) (color >>> 8);
        pixels[at + 2] = (byte) (color >>> 16);
    }

    /** Returns a copy of the image, [height, width, 3], as red, green and blue. */
    Field field() {
        byte[] copy = new byte[pixels.length];
        for (int i = 0; i < pixels.length; i++) {
            copy[i] = pixels[i / CHANNELS * CHANNELS + CHANNELS - 1 - i % CHANNELS];
        }
        return Field.image(height, width, CHANNELS, copy);
    }

    /** Returns the image as the bytes of a PNG file. */
    byte[] png() {
        try (Mat mat = new Mat(height, width, opencv_core.CV_8UC3);
                BytePointer data = mat.data();
                BytePointer extension = new BytePointer(".png");
                BytePointer encoded = new BytePointer()) {
            data.put(pixels, 0, pixels.length);
            if (!opencv_imgcodecs.imencode(extension, mat, encoded)) {
                throw new IllegalStateException("OpenCV cannot encode a PNG of " + width + "x" + height + " pixels");
            }
            byte[] file = new byte[(int) encoded.limit()];
            encoded.get(file);
            return file;
        }
    }

    @Override
    public String toString() {
        return width + "x" + height + " " + Arrays.hashCode(pixels);
    }
}
