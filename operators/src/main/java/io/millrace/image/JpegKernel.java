package io.millrace.image;

import io.millrace.image.codec.ImageHeader;

/**
 * A decoder of rectangles of JPEGs that does not decode the pixels around them. Serves one thread.
 *
 * <p>It accepts pictures of one scan whose structure was found complete. Its pixels equal those of decoding the whole
 * picture. It rejects rare samplings and pictures that libjpeg refuses. The decoder of the other formats handles those,
 * so that good and bad pictures are the same ones for every kernel.
 */
interface JpegKernel {
    /**
     * Decodes a rectangle.
     *
     * @param encoded the whole file
     * @param header the header of {@code encoded}
     * @param reduction 1; or 2, 4 or 8 for a picture of that fraction of its height and width, rounded up
     * @param crop a rectangle within the (reduced) picture
     * @param rgb an array with the length of the crop's pixels, HWC; undefined when the method returns false
     * @return whether the rectangle was decoded
     */
    boolean decode(byte[] encoded, ImageHeader header, int reduction, Crop crop, byte[] rgb);
}
