package io.millrace.sample;

/**
 * Says that a picture's pixels are a part of it only: the rectangle that the next stage will cut out, see
 * {@link Field#part}.
 *
 * @param top the row of the (reduced) picture in which the pixels begin
 * @param left the column in which they begin
 * @param pictureHeight rows of the whole picture, before any reduction
 * @param pictureWidth columns of the whole picture, before any reduction
 * @param reduction 1, or 2, 4 or 8 when the pixels are of a picture of that part of the height and width, rounded up
 */
public record Window(int top, int left, int pictureHeight, int pictureWidth, int reduction) {}
