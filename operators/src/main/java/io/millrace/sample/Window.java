package io.millrace.sample;

/**
 * The part of a picture that a field's pixels show. It is the rectangle that the next stage cuts out. See {@link
 * Field#part}.
 *
 * @param top the first row of the part, from 0, counted in the picture after any reduction
 * @param left the first column of the part, from 0, counted in the picture after any reduction
 * @param pictureHeight the rows of the whole picture before any reduction
 * @param pictureWidth the columns of the whole picture before any reduction
 * @param reduction 1 for a picture of full size; 2, 4 or 8 when height and width were divided by that number and
 *      rounded up
 */
public record Window(int top, int left, int pictureHeight, int pictureWidth, int reduction) {}
