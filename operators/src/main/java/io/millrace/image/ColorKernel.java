package io.millrace.image;

/**
 * The loops over pixels of colour changes. The results of all implementations are equal to the bit. The methods change
 * all pixels of a uint8 HWC array in place. Belongs to one thread, because it keeps tables.
 *
 * <p>The arithmetic is that of torchvision v2 on uint8 tensors: 32-bit floats in the order of the formulas below,
 * {@code fma} with one rounding, and truncation at the end.
 */
interface ColorKernel {
    /** The weight of red in gray by ITU-R BT.601, as torchvision rounds it. */
    float RED = 0.2989f;

    /** The weight of green, see {@link #RED}. */
    float GREEN = 0.587f;

    /** The weight of blue, see {@link #RED}. */
    float BLUE = 0.114f;

    /**
     * Mixes every value with one number: {@code trunc(clamp(fma(other, rest, value * ratio), 0, 255))}.
     *
     * @param pixels the values
     * @param other the number
     * @param ratio the share of the image, at least 0; it may be above 1
     * @param rest the share of {@code other}: {@code 1 - ratio}, rounded from double
     */
    void blend(byte[] pixels, float other, float ratio, float rest);

    /** Returns the sum over pixels of three channels of {@code gray = trunc(fma(b, BLUE, fma(g, GREEN, r * RED)))}. */
    long graySum(byte[] pixels);

    /** Replaces all three channels by {@code gray}, as {@link #graySum} defines it. */
    void grayscale(byte[] pixels);

    /** Writes the gray of each pixel of three channels as one byte, as {@link #graySum} defines it. */
    void gray(byte[] pixels, byte[] result);

    /** Mixes each pixel of three channels with its own {@code gray}. The formula is that of {@link #blend}. */
    void saturate(byte[] pixels, float ratio, float rest);

    /**
     * Turns the hue of pixels of three channels, by the formulas of {@link Hue}.
     *
     * @param pixels the values
     * @param turn the angle in whole turns, -0.5 to 0.5
     */
    void turnHue(byte[] pixels, float turn);
}
