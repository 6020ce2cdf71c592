package io.millrace.transform;

import io.millrace.image.Crop;
import io.millrace.sample.Field;
import io.millrace.sample.ImagePart;

/** The conversion of rectangles between a picture, its decoded part, and a reduced picture. Stateless. */
final class PartialPicture {
    private PartialPicture() {}

    /**
     * Returns the rectangle to decode for a crop: the part of it within the picture, or one pixel where no part is.
     *
     * @param crop the crop, which may reach beyond the picture
     * @param height the rows of the picture
     * @param width the columns of the picture
     */
    static Crop needed(Crop crop, int height, int width) {
        int top = Math.min(Math.max(crop.top(), 0), height - 1);
        int left = Math.min(Math.max(crop.left(), 0), width - 1);
        int bottom = Math.max(Math.min(crop.top() + crop.height(), height), top + 1);
        int right = Math.max(Math.min(crop.left() + crop.width(), width), left + 1);
        return new Crop(top, left, bottom - top, right - left);
    }

    /**
     * Returns the largest reduction of 8, 4, 2 and 1 after which the rectangle still has the pixels that the result
     * needs.
     */
    static int reduction(Cropping.NeededPart part) {
        for (int reduction = 8; reduction > 1; reduction /= 2) {
            if (part.crop().height() >= part.result().height() * reduction
                    && part.crop().width() >= part.result().width() * reduction) {
                return reduction;
            }
        }
        return 1;
    }

    /**
     * Returns a rectangle in a reduced picture. Its edges are rounded to the nearest pixels, and it keeps at least one
     * pixel.
     */
    static Crop reduced(Crop crop, int reduction, int height, int width) {
        if (reduction == 1) {
            return crop;
        }
        int rows = extent(height, reduction);
        int columns = extent(width, reduction);
        int top = Math.min(nearest(crop.top(), reduction), rows - 1);
        int left = Math.min(nearest(crop.left(), reduction), columns - 1);
        int bottom = Math.min(Math.max(nearest(crop.top() + crop.height(), reduction), top + 1), rows);
        int right = Math.min(Math.max(nearest(crop.left() + crop.width(), reduction), left + 1), columns);
        return new Crop(top, left, bottom - top, right - left);
    }

    /** Returns the number of rows or columns after a reduction, rounded up as libjpeg does. */
    static int extent(int extent, int reduction) {
        return (extent + reduction - 1) / reduction;
    }

    private static int nearest(int place, int reduction) {
        return (place + reduction / 2) / reduction;
    }

    /**
     * Returns whether the decoding stage has already resized a part for the stage that needs it.
     *
     * @throws IllegalStateException when it was resized for another stage
     */
    static boolean isResized(ImagePart decoded, Field part, Cropping.NeededPart needed) {
        if (decoded.height() == part.height() && decoded.width() == part.width()) {
            return false;
        }
        int height = needed.result().height();
        int width = needed.result().width();
        if (needed.interpolation().isEmpty() || part.height() != height || part.width() != width) {
            throw new IllegalStateException("the stage after decode makes pictures of " + height + "x" + width
                    + ", but decode has resized for another stage: " + part);
        }
        return true;
    }

    /**
     * Returns a crop of a picture in the coordinates of the part of it that was decoded for this crop.
     *
     * @throws IllegalStateException when the part was decoded for another crop
     */
    static Crop within(ImagePart decoded, Field part, Crop crop) {
        int height = decoded.imageHeight();
        int width = decoded.imageWidth();
        Crop reduced = reduced(crop, decoded.reduction(), height, width);
        Crop needed = needed(reduced, extent(height, decoded.reduction()), extent(width, decoded.reduction()));
        if (needed.top() != decoded.top()
                || needed.left() != decoded.left()
                || needed.height() != decoded.height()
                || needed.width() != decoded.width()) {
            throw new IllegalStateException("the stage after decode uses crop " + crop
                    + ", but it reported another crop to decode: the decoded part is " + part);
        }
        return new Crop(
                reduced.top() - decoded.top(), reduced.left() - decoded.left(), reduced.height(), reduced.width());
    }
}
