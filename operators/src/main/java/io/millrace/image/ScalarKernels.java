package io.millrace.image;

/** The kernels in plain Java. They are the reference for the other kernels, and are used if no others can run. */
final class ScalarKernels implements Kernels {
    static final ScalarKernels INSTANCE = new ScalarKernels();

    private ScalarKernels() {}

    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public ResizeKernel resize() {
        return new ScalarResizeKernel();
    }

    @Override
    public ColorKernel color() {
        return new ScalarColorKernel();
    }

    @Override
    public FloatKernel floats(FloatFormula formula) {
        return new ScalarFloatKernel(formula);
    }

    @Override
    public void mirrorColumns(byte[] pixels, int height, int width, int channels) {
        int rowBytes = width * channels;
        for (int row = 0; row < height; row++) {
            int left = row * rowBytes;
            int right = left + rowBytes - channels;
            for (; left < right; left += channels, right -= channels) {
                if (channels == 3) {
                    swapThree(pixels, left, right);
                } else {
                    for (int channel = 0; channel < channels; channel++) {
                        byte kept = pixels[left + channel];
                        pixels[left + channel] = pixels[right + channel];
                        pixels[right + channel] = kept;
                    }
                }
            }
        }
    }

    private static void swapThree(byte[] pixels, int left, int right) {
        byte red = pixels[left];
        byte green = pixels[left + 1];
        byte blue = pixels[left + 2];
        pixels[left] = pixels[right];
        pixels[left + 1] = pixels[right + 1];
        pixels[left + 2] = pixels[right + 2];
        pixels[right] = red;
        pixels[right + 1] = green;
        pixels[right + 2] = blue;
    }
}
