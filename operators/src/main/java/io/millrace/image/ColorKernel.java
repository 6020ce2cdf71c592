package io.millrace.image;

/**
 * The loops over pixels of colour changes, in twins with bit-identical results. Pixels are uint8, HWC, the whole array,
 * changed in place. Serves one thread: it keeps tables.
 *
 * <p>The arithmetic is that of torchvision v2 on uint8 tensors: 32-bit floats in the order given here, {@code fma}
 * rounding once, and truncation at the end.
 */
interface ColorKernel {
    /** The weights of red, green and blue in gray, by ITU-R BT.601 as torchvision rounds them. */
    float RED = 0.2989f;

    /** See {@link #RED}. */
    float GREEN = 0.587f;

    /** See {@link #RED}. */
    float BLUE = 0.114f;

    /**
     * Mixes every value with one: {@code trunc(clamp(fma(other, rest, value * ratio), 0, 255))}.
     *
     * @param ratio the share of the picture, 0 or more; may be over 1
     * @param rest the share of {@code other}: {@code 1 - ratio}, rounded from double
     */
    void blend(byte[] pixels, float other, float ratio, float rest);

    /** The sum over pixels of three channels of {@code gray = trunc(fma(b, BLUE, fma(g, GREEN, r * RED)))}. */
    long graySum(byte[] pixels);

    /** Replaces all three channels by {@code gray}, as {@link #graySum} defines it. */
    void grayscale(byte[] pixels);

    /** Writes what {@link #graySum} adds up, one byte for each pixel of three channels. */
    void gray(byte[] pixels, byte[] result);

    /** Mixes each pixel of three channels with its own {@code gray}, else as {@link #blend}. */
    void saturate(byte[] pixels, float ratio, float rest);

    /**
     * Turns the hue of pixels of three channels: HSV and back as {@link Hue} says.
     *
     * @param turn in whole turns, -0.5 to 0.5
     */
    void turnHue(byte[] pixels, float turn);
}
