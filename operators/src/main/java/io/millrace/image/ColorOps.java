package io.millrace.image;

import io.millrace.sample.Field;
import org.jspecify.annotations.Nullable;

/**
 * Changes of colour in the field's own array. The results equal those of torchvision v2 on uint8 tensors to the last
 * bit. Images are uint8 with 1 or 3 channels. An object belongs to one thread, because it keeps tables.
 *
 * <p>Factors are finite and at least 0: 0 removes the property, 1 changes nothing, 2 doubles it.
 */
public final class ColorOps {
    /** The loops; null before the first change, because a pipeline is checked without choosing and loading kernels. */
    private @Nullable ColorKernel kernel;

    /** Multiplies every value. */
    public void brightness(Field image, double factor) {
        blend(image, 0, factor);
    }

    /**
     * Mixes every value with the mean of the gray image. The sum of gray values is exact. torchvision's sum of floats
     * is rounded above 2^24, which images of more than 65,000 pixels can reach. In such images, single values may
     * differ by 1.
     */
    public void contrast(Field image, double factor) {
        byte[] pixels = image.data();
        boolean colored = image.channels() == 3;
        long sum = colored ? kernel().graySum(pixels) : sum(pixels);
        int count = image.height() * image.width();
        blend(image, (float) sum / count, factor);
    }

    /** Mixes every pixel with its gray. Pictures of one channel stay unchanged. */
    public void saturation(Field image, double factor) {
        if (image.channels() == 3) {
            kernel().saturate(image.data(), (float) factor, (float) (1 - factor));
        }
    }

    /**
     * Turns the hue of every pixel. Pictures of one channel stay unchanged.
     *
     * @param image the image
     * @param turn the angle in whole turns, -0.5 to 0.5
     */
    public void hue(Field image, double turn) {
        if (image.channels() == 3) {
            kernel().turnHue(image.data(), (float) turn);
        }
    }

    /**
     * Makes an image gray.
     *
     * @param image the image
     * @param channels the number of equal channels of the result, 1 or 3
     * @param spare an array that the result may use if its length is exactly right
     * @return the image itself if the number of channels stays, otherwise a new image
     */
    public Field grayscale(Field image, int channels, byte[] spare) {
        if (image.channels() == channels) {
            if (channels == 3) {
                kernel().grayscale(image.data());
            }
            return image;
        }
        int pixels = image.height() * image.width();
        byte[] result = spare.length == pixels * channels ? spare : new byte[pixels * channels];
        if (channels == 1) {
            kernel().gray(image.data(), result);
        } else {
            for (int i = 0, at = 0; i < pixels; i++) {
                byte gray = image.data()[i];
                result[at++] = gray;
                result[at++] = gray;
                result[at++] = gray;
            }
        }
        return Field.image(image.height(), image.width(), channels, result);
    }

    private void blend(Field image, float other, double factor) {
        kernel().blend(image.data(), other, (float) factor, (float) (1 - factor));
    }

    private ColorKernel kernel() {
        ColorKernel known = kernel;
        if (known == null) {
            known = Kernels.chosen().color();
            kernel = known;
        }
        return known;
    }

    private static long sum(byte[] pixels) {
        long sum = 0;
        for (byte pixel : pixels) {
            sum += pixel & 0xff;
        }
        return sum;
    }
}
