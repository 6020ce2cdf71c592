package io.millrace.preview;

import io.millrace.sample.Field;
import java.awt.Color;

/** Distinguishable colours for class numbers: 0 is black, 255 is white. Stateless. */
final class MaskColors {
    /** The step on the circle of hues. It is the golden ratio, so that neighbouring numbers have different hues. */
    private static final float HUE_STEP = 0.618034f;

    private MaskColors() {}

    /** Returns the mask, [height, width, 1], as an image of three channels. */
    static Field of(Field mask) {
        byte[] numbers = mask.data();
        byte[] pixels = new byte[3 * numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            int color = color(numbers[i] & 0xFF);
            pixels[3 * i] = (byte) (color >> 16);
            pixels[3 * i + 1] = (byte) (color >> 8);
            pixels[3 * i + 2] = (byte) color;
        }
        return Field.image(mask.height(), mask.width(), 3, pixels);
    }

    /** Returns the colour of a number, 0 to 255, as 0xRRGGBB. */
    static int color(int number) {
        if (number == 0 || number == 255) {
            return number == 0 ? 0 : 0xFFFFFF;
        }
        return Color.HSBtoRGB(number * HUE_STEP, 0.65f, 0.95f) & 0xFFFFFF;
    }
}
