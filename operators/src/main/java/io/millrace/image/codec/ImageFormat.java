package io.millrace.image.codec;

import io.millrace.sample.FirstBytes;

/** The image formats that can be decoded. A format is recognised by the first bytes, never by the name of the file. */
public enum ImageFormat {
    JPEG,
    PNG,
    BMP,
    GIF,
    WEBP,
    TIFF,
    /** Portable bitmaps, graymaps and pixmaps, plain and raw: P1 to P6. */
    PNM;

    /**
     * Returns the format of an encoded image.
     *
     * @throws MalformedImageException when the first bytes match no format
     */
    public static ImageFormat of(byte[] encoded) throws MalformedImageException {
        if (encoded.length == 0) {
            throw new MalformedImageException(0, "expected an image, found an empty file");
        }
        HeaderBytes bytes = new HeaderBytes(encoded, "image");
        if (bytes.startsWith(0, 0xff, 0xd8, 0xff)) {
            return JPEG;
        }
        if (bytes.startsWith(0, 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n')) {
            return PNG;
        }
        if (bytes.startsWith(0, 'G', 'I', 'F', '8')) {
            return GIF;
        }
        if (bytes.startsWith(0, 'R', 'I', 'F', 'F') && bytes.startsWith(8, 'W', 'E', 'B', 'P')) {
            return WEBP;
        }
        if (bytes.startsWith(0, 'I', 'I', 42, 0) || bytes.startsWith(0, 'M', 'M', 0, 42)) {
            return TIFF;
        }
        if (bytes.startsWith(0, 'I', 'I', 43, 0, 8, 0) || bytes.startsWith(0, 'M', 'M', 0, 43, 0, 8)) {
            return TIFF; // BigTIFF, whose offsets have 8 bytes
        }
        if (bytes.startsWith(0, 'B', 'M')) {
            return BMP;
        }
        if (encoded.length > 2 && encoded[0] == 'P' && encoded[1] >= '1' && encoded[1] <= '6' && encoded[2] <= ' ') {
            return PNM;
        }
        throw new MalformedImageException(
                0,
                "expected the first bytes of a JPEG, PNG, BMP, GIF, WebP, TIFF or PNM image, found "
                        + FirstBytes.describe(encoded));
    }
}
