package io.millrace.image;

import io.millrace.sample.Field;

/**
 * The change of sharpness of torchvision's {@code adjust_sharpness} on uint8 tensors, in the field's own array. The
 * results are equal to the last bit. An object belongs to one thread, because it keeps rows.
 *
 * <p>The operation mixes each pixel with its blurred value, {@code round((eight neighbours + 5 * pixel) / 13)}: {@code
 * trunc(clamp(fma(blurred - pixel, 1 - factor, pixel), 0, 255))}. No multiple of 1/13 is half way between two levels,
 * so a computation with whole numbers has the same result as torchvision's convolution with floats. Pixels at the
 * border stay unchanged.
 */
public final class SharpnessOps {
    private static final int KERNEL_SUM = 13;

    private byte[] above = new byte[0];
    private byte[] here = new byte[0];
    private int[] columns = new int[0];

    /**
     * Changes an image of 1 or 3 channels.
     *
     * @param image the image
     * @param factor 0 blurs, 1 changes nothing, 2 sharpens; at least 0
     */
    public void sharpness(Field image, double factor) {
        int channels = image.channels();
        int rowBytes = image.width() * channels;
        if (image.height() <= 2 || image.width() <= 2) {
            return;
        }
        if (here.length < rowBytes) {
            above = new byte[rowBytes];
            here = new byte[rowBytes];
            columns = new int[rowBytes];
        }
        float rest = (float) (1 - factor);
        byte[] pixels = image.data();
        System.arraycopy(pixels, 0, here, 0, rowBytes);
        for (int row = 1; row < image.height() - 1; row++) {
            byte[] read = above;
            above = here;
            here = read;
            int start = row * rowBytes;
            System.arraycopy(pixels, start, here, 0, rowBytes);
            for (int i = 0; i < rowBytes; i++) {
                columns[i] = (above[i] & 0xff) + (here[i] & 0xff) + (pixels[start + rowBytes + i] & 0xff);
            }
            for (int i = channels; i < rowBytes - channels; i++) {
                int pixel = here[i] & 0xff;
                int sum = columns[i - channels] + columns[i] + columns[i + channels] + 4 * pixel;
                int blurred = (2 * sum + KERNEL_SUM) / (2 * KERNEL_SUM);
                int level = (int) Math.fma(blurred - pixel, rest, pixel);
                pixels[start + i] = (byte) Math.min(Math.max(level, 0), 255);
            }
        }
    }
}
