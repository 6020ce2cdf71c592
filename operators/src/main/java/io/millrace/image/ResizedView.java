package io.millrace.image;

/**
 * What is made of a picture in one go: a rectangle of it, resized, and perhaps mirrored.
 *
 * @param crop within the picture
 * @param height rows of the result, at least 1
 * @param width columns of the result, at least 1
 * @param mirrored whether left and right are swapped, after resizing
 * @param layout the order of the result's values
 */
public record ResizedView(Crop crop, int height, int width, boolean mirrored, PixelLayout layout) {
    public ResizedView {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException("a view has at least 1x1 pixels, found " + height + "x" + width);
        }
    }
}
