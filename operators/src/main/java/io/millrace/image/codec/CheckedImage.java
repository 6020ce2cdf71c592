package io.millrace.image.codec;

/**
 * An encoded image that {@code ImageDecoder.check} has accepted: it is within the limits, and its structure is complete. The
 * image shares the caller's bytes, which must not change until it is decoded.
 */
public final class CheckedImage {
    private final byte[] encoded;
    private final ImageHeader header;
    private final boolean partly;

    /**
     * Creates a checked image.
     *
     * @param partly true when a rectangle can be decoded alone; otherwise the whole image is decoded and then cropped
     */
    public CheckedImage(byte[] encoded, ImageHeader header, boolean partly) {
        this.encoded = encoded;
        this.header = header;
        this.partly = partly;
    }

    /** Returns the bytes of the image, which are shared with the caller of the check. */
    public byte[] encoded() {
        return encoded;
    }

    /** Returns whether a rectangle of the image can be decoded alone. */
    public boolean partly() {
        return partly;
    }

    /** Returns the header of the image. */
    public ImageHeader header() {
        return header;
    }

    /** Returns whether the image can be decoded at 1/2, 1/4 or 1/8 of its size; see {@code ImageDecoder.decodeReduced}. */
    public boolean reducible() {
        return header.format() == ImageFormat.JPEG && !header.converted();
    }

    /**
     * Reads the orientation that the EXIF block or the XMP packet states, as {@link Orientations} describes.
     *
     * @return 1 to 8; 1 when the image states none
     * @throws MalformedImageException when a tag of a TIFF that states it is damaged
     */
    public int orientation() throws MalformedImageException {
        return Orientations.of(header.format(), encoded);
    }

    /** Returns the number of rows as stored, before the orientation is applied. */
    public int height() {
        return header.height();
    }

    /** Returns the number of columns as stored, before the orientation is applied. */
    public int width() {
        return header.width();
    }
}
