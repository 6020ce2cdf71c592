package io.millrace.image.codec;

/**
 * The decoders of all images but most JPEGs and WebPs, which OpenCV decodes like Pillow. They decode the
 * samples as stored, and then convert them exactly as Pillow's {@code convert("RGB")} does, with a difference of 0.
 */
public final class ConvertedPixels {
    private static final int LARGEST = 255;

    private ConvertedPixels() {}

    /**
     * Decodes the whole image. Its header must have {@link ImageHeader#converted} set.
     *
     * @param jpegs the decoder of the JPEGs in a TIFF
     * @return the pixels as RGB in HWC order, with the size of the header
     */
    public static byte[] decode(CheckedImage image, JpegDecoding jpegs) throws MalformedImageException {
        return switch (image.header().format()) {
            case JPEG -> CmykJpeg.decode(image);
            case PNG -> PngPixels.decode(image);
            case BMP -> BmpPixels.decode(image);
            case GIF -> GifPixels.decode(image);
            case TIFF -> TiffPixels.decode(image, jpegs);
            case PNM -> PnmPixels.decode(image);
            case WEBP -> throw new IllegalArgumentException("WebP needs no conversion");
        };
    }

    /** Returns a gray level of more than 8 bits as 8 bits. Pillow does not scale such levels: all above 255 become white. */
    static int clipped(int level) {
        return Math.min(LARGEST, Math.max(0, level));
    }

    /** Writes a gray pixel, and returns the index of the next pixel. */
    static int gray(byte[] rgb, int at, int level) {
        rgb[at] = (byte) level;
        rgb[at + 1] = (byte) level;
        rgb[at + 2] = (byte) level;
        return at + 3;
    }

    /** Writes a pixel of four inks, each 0 to 255, and returns the index of the next pixel. */
    static int inks(byte[] rgb, int at, int cyan, int magenta, int yellow, int black) {
        int light = LARGEST - black;
        rgb[at] = (byte) remainingLight(light, cyan);
        rgb[at + 1] = (byte) remainingLight(light, magenta);
        rgb[at + 2] = (byte) remainingLight(light, yellow);
        return at + 3;
    }

    /** Returns the light that an ink leaves: the product divided by 255, rounded like Pillow's MULDIV255. */
    private static int remainingLight(int light, int ink) {
        int product = light * ink + 128;
        return clipped(light - (((product >> 8) + product) >> 8));
    }
}
