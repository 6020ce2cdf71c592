package io.millrace.image.codec;

/**
 * The limits of an image's size. They are checked with the header, before anything is decoded.
 *
 * @param maxPixels the largest number of pixels, 1 to {@link #MOST_PIXELS}
 * @param maxEncodedBytes the largest length of the encoded image in bytes, at least 1
 */
public record DecodeLimits(long maxPixels, long maxEncodedBytes) {
    /** The largest number of pixels whose three channels fit in one Java array. */
    public static final long MOST_PIXELS = (Integer.MAX_VALUE - 8) / 3;

    /** The default limits: 64 million pixels (192 MB decoded), and 256 MB encoded. */
    public static final DecodeLimits DEFAULT = new DecodeLimits(64_000_000, 256_000_000);

    public DecodeLimits {
        if (maxPixels < 1 || maxPixels > MOST_PIXELS) {
            throw new IllegalArgumentException("max_pixels must be 1 to " + MOST_PIXELS + ", found " + maxPixels);
        }
        if (maxEncodedBytes < 1) {
            throw new IllegalArgumentException("max_bytes must be at least 1, found " + maxEncodedBytes);
        }
    }

    /**
     * Checks the length of the encoded image, before the header is read.
     *
     * @throws MalformedImageException when the image has more bytes than the limit
     */
    public void checkBytes(long encodedBytes) throws MalformedImageException {
        if (encodedBytes > maxEncodedBytes) {
            throw new MalformedImageException(
                    -1, "expected at most " + maxEncodedBytes + " encoded bytes (max_bytes), found " + encodedBytes);
        }
    }

    /**
     * Checks the number of pixels in the header.
     *
     * @throws MalformedImageException when the image has more pixels than the limit
     */
    public void checkPixels(ImageHeader header) throws MalformedImageException {
        if (header.pixels() > maxPixels) {
            throw new MalformedImageException(
                    -1,
                    "expected at most " + maxPixels + " pixels (max_pixels), found " + header.width() + "x"
                            + header.height() + " = " + header.pixels() + " in the header");
        }
    }
}
