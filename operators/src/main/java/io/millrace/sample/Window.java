package io.millrace.sample;

/**
 * The part of a picture that a field's pixels are: the rectangle that the next stage will cut out. See {@link
 * Field#part}.
 *
 * @param top the row of the (reduced) picture in which the pixels begin, from 0
 * @param left the column of the (reduced) picture in which the pixels begin, from 0
 * @param pictureHeight the rows of the whole picture before any reduction
 * @param pictureWidth the columns of the whole picture before any reduction
 * @param reduction 1 for a picture of full size; 2, 4 or 8 when height and width were divided by that number and
 *      rounded up
 */
public record Window(int top, int left, int pictureHeight, int pictureWidth, int reduction) {}
