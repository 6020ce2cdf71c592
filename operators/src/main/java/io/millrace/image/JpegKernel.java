package io.millrace.image;

import io.millrace.image.codec.ImageHeader;
import io.millrace.sample.Field;

/**
 * A decoder of rectangles of JPEGs that does not decode the pixels around them. Belongs to one thread.
 *
 * <p>It accepts images of one scan whose structure is complete. Its pixels equal the pixels of the whole decoded
 * image. It rejects rare samplings and images that libjpeg refuses. The decoder of the other formats then decodes
 * or refuses these images, so every kernel refuses the same images.
 */
interface JpegKernel {
    /**
     * Returns whether the entropy-coded data of a JPEG are damaged; see {@link
     * io.millrace.image.codec.ImageIntegrity#ENTROPY}. False also for JPEGs of a kind that the kernel does not check.
     *
     * @param encoded the whole file, whose structure is intact
     * @param header the header of {@code encoded}
     */
    boolean isDamaged(byte[] encoded, ImageHeader header);

    /**
     * Decodes a rectangle.
     *
     * @param encoded the whole file
     * @param header the header of {@code encoded}
     * @param reduction 1; or 2, 4 or 8 for an image of that fraction of its height and width, rounded up
     * @param crop a rectangle within the (reduced) image
     * @param rgb an array with the length of the crop's pixels, HWC; undefined when the method returns false
     * @return whether the rectangle was decoded
     */
    boolean decode(byte[] encoded, ImageHeader header, int reduction, Crop crop, byte[] rgb);

    /**
     * Decodes a rectangle and resizes it, row by row, so that its pixels exist nowhere else.
     *
     * @param encoded the whole file
     * @param header the header of {@code encoded}
     * @param crop a rectangle within the image
     * @param across the weights along a row of the rectangle
     * @param down the weights along a column of the rectangle
     * @param picture gets the pixels, in its array or where it is stored: {@code down.out * across.out * 3} bytes, HWC;
     *     undefined when the method returns -1
     * @return the nanoseconds of the resize, at least 0; -1 if the rectangle was not decoded
     */
    long decodeResized(
            byte[] encoded, ImageHeader header, Crop crop, ResampleTable across, ResampleTable down, Field picture);
}
