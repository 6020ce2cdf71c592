package io.millrace.image.codec;

import org.jspecify.annotations.Nullable;

/**
 * What an encoded image says of itself, read without decoding.
 *
 * @param width columns as stored, before any orientation, at least 1
 * @param height rows as stored, at least 1
 * @param channels as stored: 1 for gray and palette, 2 or 4 with alpha, 3 for colour, 4 for CMYK
 * @param bitDepth bits per channel as stored, or per palette index
 * @param cmyk whether the channels are inks
 * @param orientation the EXIF orientation, 1 to 8; 1 where none is stated
 * @param obstacle why decoding would not give the pixels of Pillow's {@code convert("RGB")}, or null where it does
 * @param converted whether its samples are decoded as stored and converted as Pillow does, since OpenCV would do it otherwise
 */
public record ImageHeader(
        ImageFormat format,
        int width,
        int height,
        int channels,
        int bitDepth,
        boolean cmyk,
        int orientation,
        @Nullable String obstacle,
        boolean converted) {

    /**
     * Reads the header. Cost: a few hundred bytes are looked at, nothing is allocated that grows with the stated size.
     *
     * @throws MalformedImageException when the bytes are no image of a known format, or its header is broken
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

    /** Pixels of the picture. */
    public long pixels() {
        return (long) width * height;
    }

    /** A header without orientation, of an image that is no CMYK and has nothing in the way. */
    static ImageHeader plain(ImageFormat format, long width, long height, int channels, int bitDepth)
            throws MalformedImageException {
        return new ImageHeader(
                format, extent(format, width), extent(format, height), channels, bitDepth, false, 1, null, false);
    }

    ImageHeader withOrientation(int value) {
        return new ImageHeader(format, width, height, channels, bitDepth, cmyk, value, obstacle, converted);
    }

    ImageHeader withObstacle(@Nullable String reason) {
        return new ImageHeader(format, width, height, channels, bitDepth, cmyk, orientation, reason, converted);
    }

    ImageHeader withConversion() {
        return new ImageHeader(format, width, height, channels, bitDepth, cmyk, orientation, obstacle, true);
    }

    private static int extent(ImageFormat format, long value) throws MalformedImageException {
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new MalformedImageException(
                    0, "expected a width and height below 2^31 in the header of a " + format + ", found " + value);
        }
        return (int) value;
    }
}
