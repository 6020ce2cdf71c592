package io.millrace.image.codec;

/**
 * How large an image may be before it is refused, checked on its header alone.
 *
 * @param maxPixels width times height, at least 1 and at most 2^31 / 3, as pixels live in one Java array
 * @param maxEncodedBytes length of the encoded image, at least 1
 */
public record DecodeLimits(long maxPixels, long maxEncodedBytes) {
    /** The most pixels whose three channels fit one Java array. */
    public static final long MOST_PIXELS = (Integer.MAX_VALUE - 8) / 3;

    /** 64 million pixels (192 MB decoded) and 256 MB encoded. */
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
     * Checks the length before the header is read.
     *
     * @throws MalformedImageException when it is over the limit
     */
    public void checkBytes(long encodedBytes) throws MalformedImageException {
        if (encodedBytes > maxEncodedBytes) {
            throw new MalformedImageException(
                    -1, "expected at most " + maxEncodedBytes + " encoded bytes (max_bytes), found " + encodedBytes);
        }
    }

    /**
     * Checks the picture's size.
     *
     * @throws MalformedImageException when it is over the limit
     */
    public void checkPixels(ImageHeader header) throws MalformedImageException {
        if (header.pixels() > maxPixels) {
            throw new MalformedImageException(
                    -1,
                    "expected at most " + maxPixels + " pixels (max_pixels), found a header that says " + header.width()
                            + "x" + header.height() + " = " + header.pixels());
        }
    }
}
