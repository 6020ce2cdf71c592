package io.millrace.image;

import io.millrace.sample.Field;

/**
 * The Gaussian blur of torchvision's {@code gaussian_blur}, in the field's own array. An object belongs to one thread,
 * because it keeps rows.
 *
 * <p>Columns and rows are summed one after the other in 32-bit floats. torchvision sums the products of both kernels in
 * an order that depends on its convolution. Therefore the results differ by 1 if a sum is within rounding errors of
 * half a level. The pixels outside of the image are those of the mirrored image, and the edge is not repeated.
 */
public final class GaussianBlurOps {
    private float[] across = new float[0];
    private float[] down = new float[0];
    private float[][] rows = new float[0][0];
    private float[] column = new float[0];
    private float[] sums = new float[0];

    /**
     * The size of a kernel.
     *
     * @param width the odd number of columns
     * @param height the odd number of rows
     */
    public record Kernel(int width, int height) {
        /** Checks the sizes. */
        public Kernel {
            if (width < 1 || height < 1 || width % 2 == 0 || height % 2 == 0) {
                throw new IllegalArgumentException(
                        "expected a Gaussian kernel with odd sizes above 0, found " + width + "x" + height);
            }
        }

        /**
         * Returns whether an image is large enough for this kernel, so that mirroring provides all pixels outside of
         * the image.
         */
        public boolean fits(int imageHeight, int imageWidth) {
            return width / 2 < imageWidth && height / 2 < imageHeight;
        }
    }

    /**
     * Blurs an image of 1 or 3 channels.
     *
     * @param image the image
     * @param kernel the size of the kernel
     * @param sigma the standard deviation in pixels, above 0
     * @throws IllegalArgumentException when the kernel does not {@linkplain Kernel#fits fit}
     */
    public void blur(Field image, Kernel kernel, double sigma) {
        int height = image.height();
        int width = image.width();
        if (!kernel.fits(height, width)) {
            throw new IllegalArgumentException("a kernel of " + kernel.width() + "x" + kernel.height()
                    + " is too large for an image " + width + " wide and " + height + " high");
        }
        int channels = image.channels();
        int elements = width * channels;
        int sideElements = kernel.width() / 2 * channels;
        prepare(kernel, sigma, elements, sideElements);
        byte[] pixels = image.data();
        int reach = kernel.height() / 2;
        int read = 0;
        for (int y = 0; y < height; y++) {
            for (; read <= Math.min(y + reach, height - 1); read++) {
                widen(pixels, read * elements, rows[read % rows.length], elements);
            }
            scale(rows[y % rows.length], 0, down[reach], column, sideElements, elements);
            for (int k = 1; k <= reach; k++) {
                float[] upper = rows[mirrored(y - k, height) % rows.length];
                float[] lower = rows[mirrored(y + k, height) % rows.length];
                addPair(upper, lower, down[reach + k], column, sideElements, elements);
            }
            mirrorEnds(elements, channels, sideElements);
            scale(column, sideElements, across[kernel.width() / 2], sums, 0, elements);
            for (int k = 1; k <= kernel.width() / 2; k++) {
                addShifted(
                        column,
                        sideElements - k * channels,
                        sideElements + k * channels,
                        across[kernel.width() / 2 + k],
                        sums,
                        elements);
            }
            narrow(sums, pixels, y * elements, elements);
        }
    }

    private void prepare(Kernel kernel, double sigma, int elements, int sideElements) {
        across = across.length == kernel.width() ? across : new float[kernel.width()];
        down = down.length == kernel.height() ? down : new float[kernel.height()];
        weigh(across, sigma);
        weigh(down, sigma);
        if (rows.length != kernel.height() || rows[0].length < elements) {
            rows = new float[kernel.height()][elements];
        }
        if (column.length < elements + 2 * sideElements) {
            column = new float[elements + 2 * sideElements];
        }
        if (sums.length < elements) {
            sums = new float[elements];
        }
    }

    /** Computes {@code exp(-x^2 / 2 sigma^2)} at whole distances from the middle, scaled to the sum 1. */
    private static void weigh(float[] weights, double sigma) {
        int middle = weights.length / 2;
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += gauss(i - middle, sigma);
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) (gauss(i - middle, sigma) / sum);
        }
    }

    private static double gauss(int distance, double sigma) {
        return Math.exp(-0.5 * distance * distance / (sigma * sigma));
    }

    private static int mirrored(int row, int height) {
        int inside = Math.abs(row);
        return inside < height ? inside : 2 * (height - 1) - inside;
    }

    private void mirrorEnds(int elements, int channels, int sideElements) {
        int last = sideElements + elements - channels;
        for (int k = channels; k <= sideElements; k += channels) {
            for (int channel = 0; channel < channels; channel++) {
                column[sideElements - k + channel] = column[sideElements + k + channel];
                column[last + k + channel] = column[last - k + channel];
            }
        }
    }

    // The compiler turns the simple loops below into vector code.

    private static void widen(byte[] pixels, int start, float[] row, int elements) {
        for (int i = 0; i < elements; i++) {
            row[i] = pixels[start + i] & 0xff;
        }
    }

    private static void scale(float[] row, int start, float weight, float[] result, int to, int elements) {
        for (int i = 0; i < elements; i++) {
            result[to + i] = row[start + i] * weight;
        }
    }

    private static void addPair(float[] upper, float[] lower, float weight, float[] result, int to, int elements) {
        for (int i = 0; i < elements; i++) {
            result[to + i] += (upper[i] + lower[i]) * weight;
        }
    }

    private static void addShifted(float[] row, int left, int right, float weight, float[] result, int elements) {
        for (int i = 0; i < elements; i++) {
            result[i] += (row[left + i] + row[right + i]) * weight;
        }
    }

    private static void narrow(float[] row, byte[] pixels, int start, int elements) {
        for (int i = 0; i < elements; i++) {
            pixels[start + i] = (byte) (int) (row[i] + 0.5f);
        }
    }
}
