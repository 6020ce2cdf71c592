package io.millrace.image;

import io.millrace.image.codec.ImageHeader;

/** A decoder of rectangles of images in formats other than JPEG. Belongs to one thread. */
interface ImageKernel {
    /**
     * Decodes a rectangle of an image whose structure has been checked. It rejects formats and variants that it does not
     * support, and images in which it finds anything irregular. The decoder for all formats then decodes or refuses these
     * images, so every kernel refuses the same images.
     *
     * @param encoded the whole file
     * @param header the header of {@code encoded}
     * @param crop a rectangle within the image
     * @param rgb an array with the length of the crop's pixels, HWC; undefined when the method returns false
     * @return whether the rectangle was decoded
     */
    boolean decode(byte[] encoded, ImageHeader header, Crop crop, byte[] rgb);
}
