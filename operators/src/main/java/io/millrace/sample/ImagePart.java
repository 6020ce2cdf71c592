package io.millrace.sample;

/**
 * The part of an image that a field's pixels show. It is the rectangle that the next stage cuts out. See {@link
 * Field#part}.
 *
 * <p>If the field has other extents than the part, then the pixels have already been resized, as the next stage does it.
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
public record ImagePart(int top, int left, int height, int width, int imageHeight, int imageWidth, int reduction) {}
