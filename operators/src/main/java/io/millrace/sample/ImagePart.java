package io.millrace.sample;

/**
 * The part of an image that a picture is, see {@link ImageParts}. It is the rectangle that the next stage cuts out.
 *
 * <p>If the picture has other extents than the part, then the pixels have already been resized, as the next stage does it.
 *
 * @param top the first row of the part, from 0, counted in the image after any reduction
 * @param left the first column of the part, from 0, counted in the image after any reduction
 * @param height the rows of the part
 * @param width the columns of the part
 * @param imageHeight the rows of the whole image before any reduction
 * @param imageWidth the columns of the whole image before any reduction
 * @param reduction 1 for an image of full size; 2, 4 or 8 when height and width were divided by that number and rounded
 *     up
 */
public record ImagePart(int top, int left, int height, int width, int imageHeight, int imageWidth, int reduction) {
    /** Returns the part that is all of an image of full size. */
    public static ImagePart whole(int imageHeight, int imageWidth) {
        return new ImagePart(0, 0, imageHeight, imageWidth, imageHeight, imageWidth, 1);
    }

    /** Returns whether the part is all of an image of full size. */
    public boolean isWhole() {
        return equals(whole(imageHeight, imageWidth));
    }
}
