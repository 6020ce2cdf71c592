package io.millrace.image.codec;

import org.jspecify.annotations.Nullable;

/**
 * The header of an encoded image, which is read without decoding.
 *
 * @param width the number of columns as stored, before the orientation is applied, at least 1
 * @param height the number of rows as stored, before the orientation is applied, at least 1
 * @param channels the number of channels as stored: 1 for gray and palette, 2 or 4 with alpha, 3 for colour, 4 for CMYK
 * @param bitDepth the number of bits per channel as stored, or per palette index
 * @param cmyk whether the channels are inks
 * @param obstacle the reason why decoding would not produce the pixels of Pillow's {@code convert("RGB")}; null when it does
 * @param converted whether the samples are decoded as stored and then converted like Pillow, because OpenCV converts them
 *     differently, or does not report all damage
 */
public record ImageHeader(
        ImageFormat format,
        int width,
        int height,
        int channels,
        int bitDepth,
        boolean cmyk,
        @Nullable String obstacle,
        boolean converted) {

    /**
     * Reads the header. It allocates nothing that grows with the size of the image in pixels.
     *
     * @throws MalformedImageException when the format is unknown, or the header is damaged
     */
    public static ImageHeader parse(byte[] encoded) throws MalformedImageException {
        ImageFormat format = ImageFormat.of(encoded);
        HeaderBytes bytes = new HeaderBytes(encoded, format.name());
        ImageHeader header =
                switch (format) {
                    case JPEG -> JpegHeader.parse(bytes);
                    case PNG -> PngHeader.parse(bytes);
                    case BMP -> BmpHeader.parse(bytes);
                    case GIF -> GifHeader.parse(bytes);
                    case WEBP -> WebpHeader.parse(bytes);
                    case TIFF -> TiffHeader.parse(bytes);
                    case PNM -> PnmHeader.parse(bytes);
                };
        if (header.width < 1 || header.height < 1) {
            throw new MalformedImageException(
                    0,
                    "expected a " + format + " of at least 1x1 pixels, found " + header.width + "x" + header.height
                            + " in its header");
        }
        return header;
    }

    /** Returns the number of pixels. */
    public long pixels() {
        return (long) width * height;
    }

    /** Creates a header of an image without inks, obstacle or conversion. */
    static ImageHeader plain(ImageFormat format, long width, long height, int channels, int bitDepth)
            throws MalformedImageException {
        return new ImageHeader(
                format, extent(format, width), extent(format, height), channels, bitDepth, false, null, false);
    }

    ImageHeader withObstacle(@Nullable String reason) {
        return new ImageHeader(format, width, height, channels, bitDepth, cmyk, reason, converted);
    }

    ImageHeader withConversion() {
        return new ImageHeader(format, width, height, channels, bitDepth, cmyk, obstacle, true);
    }

    private static int extent(ImageFormat format, long value) throws MalformedImageException {
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new MalformedImageException(
                    0, "expected a width and height below 2^31 in the header of a " + format + ", found " + value);
        }
        return (int) value;
    }
}
