package io.millrace.image;

import io.millrace.image.codec.ImageHeader;

/**
 * Decodes rectangles of JPEGs without decoding what lies around them. Serves one thread.
 *
 * <p>For pictures of one scan whose structure has been found whole. What it decodes has the pixels that decoding the whole
 * gives; what it leaves alone (rare samplings, pictures that libjpeg refuses) is for the decoder of all other formats,
 * whose verdict so holds for every kernel.
 */
interface JpegKernel {
    /**
     * Decodes a rectangle.
     *
     * @param header of {@code encoded}
     * @param reduction 1, or 2, 4 or 8 for a picture of that part of its height and width, rounded up
     * @param crop within the (reduced) picture
     * @param rgb as long as the crop's pixels, HWC; undefined when this returns false
     * @return whether it was decoded
     */
    boolean decode(byte[] encoded, ImageHeader header, int reduction, Crop crop, byte[] rgb);
}
