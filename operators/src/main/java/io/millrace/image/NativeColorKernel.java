package io.millrace.image;

/**
 * The colour changes in C. Garbage collection waits while the C code changes a part of an image, which takes less than
 * 0.1 ms with AVX2. Stateless.
 */
final class NativeColorKernel implements ColorKernel {
    private final boolean avx2;

    /**
     * Creates the changes.
     *
     * @param avx2 whether to use AVX2 and FMA, which the CPU must then have, see {@link NativeCode#hasAvx2}
     */
    NativeColorKernel(boolean avx2) {
        this.avx2 = avx2;
    }

    @Override
    public void blend(byte[] pixels, float other, float ratio, float rest) {
        blend(avx2, pixels, other, ratio, rest);
    }

    @Override
    public long graySum(byte[] pixels) {
        return graySum(avx2, pixels);
    }

    @Override
    public void grayscale(byte[] pixels) {
        grayscale(avx2, pixels);
    }

    @Override
    public void gray(byte[] pixels, byte[] result) {
        gray(avx2, pixels, result);
    }

    @Override
    public void saturate(byte[] pixels, float ratio, float rest) {
        saturate(avx2, pixels, ratio, rest);
    }

    @Override
    public void turnHue(byte[] pixels, float turn) {
        turnHue(avx2, pixels, turn);
    }

    // All but blend throw an IllegalArgumentException when the array is not a number of pixels of three bytes.

    private static native void blend(boolean avx2, byte[] pixels, float other, float ratio, float rest);

    private static native long graySum(boolean avx2, byte[] pixels);

    private static native void grayscale(boolean avx2, byte[] pixels);

    private static native void gray(boolean avx2, byte[] pixels, byte[] result);

    private static native void saturate(boolean avx2, byte[] pixels, float ratio, float rest);

    private static native void turnHue(boolean avx2, byte[] pixels, float turn);
}
