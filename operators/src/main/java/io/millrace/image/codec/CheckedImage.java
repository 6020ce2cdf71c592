package io.millrace.image.codec;

import io.millrace.image.ImageDecoder;

/**
 * An encoded image that is within the limits and whose structure is whole: what {@link ImageDecoder#check} lets pass. Its
 * bytes are not a copy, and are not to be changed until it is decoded.
 */
public final class CheckedImage {
    private final byte[] encoded;
    private final ImageHeader header;
    private final boolean partly;

    /** Whether {@code partly} a rectangle of it can be decoded alone; otherwise the whole is decoded and cut. */
    public CheckedImage(byte[] encoded, ImageHeader header, boolean partly) {
        this.encoded = encoded;
        this.header = header;
        this.partly = partly;
    }

    public byte[] encoded() {
        return encoded;
    }

    public boolean partly() {
        return partly;
    }

    /** What the image says of itself. */
    public ImageHeader header() {
        return header;
    }

    /** Whether it can be decoded at 1/2, 1/4 or 1/8 of its size: see {@link ImageDecoder#decodeReduced}. */
    public boolean reducible() {
        return header.format() == ImageFormat.JPEG && !header.converted();
    }

    /** Rows as stored, before any orientation. */
    public int height() {
        return header.height();
    }

    /** Columns as stored. */
    public int width() {
        return header.width();
    }
}
