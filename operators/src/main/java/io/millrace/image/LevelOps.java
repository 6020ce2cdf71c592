package io.millrace.image;

import io.millrace.sample.Field;
import java.util.Arrays;

/**
 * Operations that spread the values of each channel over 0 to 255, by torchvision's definitions for uint8 tensors, in
 * the field's own array. An object belongs to one thread, because it keeps tables.
 */
public final class LevelOps {
    private static final int VALUES = 256;
    private static final int CHANNELS = 3;
    private static final float PER_LEVEL = (float) (1.0 / 255);

    private final byte[][] tables = new byte[CHANNELS][VALUES];
    private final int[][] counts = new int[CHANNELS][VALUES];

    /** Stretches each channel, so that its smallest value becomes 0 and its largest 255. */
    public void autocontrast(Field image) {
        count(image);
        for (int channel = 0; channel < image.channels(); channel++) {
            stretch(counts[channel], tables[channel]);
        }
        replace(image);
    }

    /** Makes the values of each channel about equally frequent. */
    public void equalize(Field image) {
        count(image);
        for (int channel = 0; channel < image.channels(); channel++) {
            even(counts[channel], image.height() * image.width(), tables[channel]);
        }
        replace(image);
    }

    private static void stretch(int[] counts, byte[] table) {
        int least = 0;
        while (counts[least] == 0) {
            least++;
        }
        int most = largest(counts);
        if (least == most) {
            identity(table);
            return;
        }
        float scale = (most - least) * PER_LEVEL;
        for (int value = least; value <= most; value++) {
            table[value] = (byte) Math.min((int) ((value - least) / scale), 255);
        }
    }

    /**
     * Computes the table of {@link #equalize} by Pillow's rule: a new level begins after each 255th part of the pixels,
     * where the pixels with the largest value are not counted.
     */
    private static void even(int[] counts, int pixels, byte[] table) {
        int step = (pixels - counts[largest(counts)]) / 255;
        if (step == 0) {
            identity(table);
            return;
        }
        int below = step / 2;
        for (int value = 0; value < VALUES; value++) {
            table[value] = (byte) Math.min(below / step, 255);
            below += counts[value];
        }
    }

    private static int largest(int[] counts) {
        int largest = VALUES - 1;
        while (counts[largest] == 0) {
            largest--;
        }
        return largest;
    }

    private static void identity(byte[] table) {
        for (int value = 0; value < VALUES; value++) {
            table[value] = (byte) value;
        }
    }

    private void count(Field image) {
        byte[] pixels = image.data();
        for (int[] channel : counts) {
            Arrays.fill(channel, 0);
        }
        if (image.channels() == 1) {
            for (byte pixel : pixels) {
                counts[0][pixel & 0xff]++;
            }
            return;
        }
        int[] red = counts[0];
        int[] green = counts[1];
        int[] blue = counts[2];
        for (int at = 0; at < pixels.length; at += CHANNELS) {
            red[pixels[at] & 0xff]++;
            green[pixels[at + 1] & 0xff]++;
            blue[pixels[at + 2] & 0xff]++;
        }
    }

    private void replace(Field image) {
        byte[] pixels = image.data();
        if (image.channels() == 1) {
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = tables[0][pixels[i] & 0xff];
            }
            return;
        }
        byte[] red = tables[0];
        byte[] green = tables[1];
        byte[] blue = tables[2];
        for (int at = 0; at < pixels.length; at += CHANNELS) {
            pixels[at] = red[pixels[at] & 0xff];
            pixels[at + 1] = green[pixels[at + 1] & 0xff];
            pixels[at + 2] = blue[pixels[at + 2] & 0xff];
        }
    }
}
