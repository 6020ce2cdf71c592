package io.millrace.image.codec;

import java.util.Arrays;

/** A check of the chunks of a WebP (RFC 9649, section 2). */
public final class WebpStructure {
    private static final int RIFF_DATA = 8;
    private static final int FIRST_CHUNK = 12;
    private static final int CHUNK_HEADER_BYTES = 8;
    /** The length from which OpenCV recognises a WebP. */
    private static final int LEAST_BYTES = 32;

    private WebpStructure() {}

    /**
     * Checks a WebP.
     *
     * @throws MalformedImageException when a chunk does not lie within the file, or none holds an image
     */
    public static void check(byte[] encoded) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "WEBP");
        long end = RIFF_DATA + bytes.u32Little(4, "the file's size");
        bytes.require(RIFF_DATA, end - RIFF_DATA, "the file");
        boolean image = false;
        long at = FIRST_CHUNK;
        while (at + CHUNK_HEADER_BYTES <= end) {
            String type = bytes.text(at, 4, "a chunk");
            long length = bytes.u32Little(at + 4, "a chunk");
            if (at + CHUNK_HEADER_BYTES + length > end) {
                throw new MalformedImageException(
                        at,
                        "corrupt WEBP: expected a chunk that ends before " + end + ", found " + length + " bytes of '"
                                + type + "'");
            }
            image |= isImage(type) || type.equals("ANMF");
            at = next(at, length);
        }
        if (!image) {
            throw new MalformedImageException(at, "truncated WEBP: expected an image, found the end of the chunks");
        }
    }

    /**
     * Returns a checked WebP for a decoder that reads on behind the image in search of missing data. The image is the end of the
     * result, unless the WebP is an animation or shorter than OpenCV requires.
     */
    public static byte[] endingWithImage(byte[] encoded) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "WEBP");
        long end = RIFF_DATA + bytes.u32Little(4, "the file's size");
        byte[] image = encoded;
        for (long at = FIRST_CHUNK; at + CHUNK_HEADER_BYTES <= end; ) {
            String type = bytes.text(at, 4, "a chunk");
            long next = next(at, bytes.u32Little(at + 4, "a chunk"));
            if (type.equals("ANMF")) {
                break;
            }
            if (isImage(type)) {
                image = Arrays.copyOf(encoded, (int) next);
                for (int i = 0; i < Integer.BYTES; i++) {
                    image[4 + i] = (byte) ((next - RIFF_DATA) >> (Byte.SIZE * i));
                }
                break;
            }
            at = next;
        }
        return image.length < LEAST_BYTES ? Arrays.copyOf(image, LEAST_BYTES) : image;
    }

    private static boolean isImage(String type) {
        return type.equals("VP8 ") || type.equals("VP8L");
    }

    private static long next(long at, long length) {
        return at + CHUNK_HEADER_BYTES + length + (length & 1);
    }
}
