package io.millrace.image.codec;

/** A decoder of JPEGs, for JPEGs that are parts of other files. */
@FunctionalInterface
public interface JpegDecoding {
    /**
     * Decodes a JPEG without a limit of its size.
     *
     * @return the pixels as RGB in HWC order, with the size in its header
     * @throws MalformedImageException when the JPEG is damaged, or of a kind that is not supported
     */
    byte[] rgb(byte[] jpeg) throws MalformedImageException;
}
