package io.millrace.transform;

import io.millrace.image.Crop;
import io.millrace.sample.Field;
import io.millrace.sample.Window;

/** The arithmetic between a picture, the part of it that is decoded, and a reduced picture. Pure. */
final class PartialPicture {
    private PartialPicture() {}

    /**
     * What has to be decoded for a crop: as much of it as lies within the picture, and one pixel where none does.
     *
     * @param crop may reach beyond the picture
     */
    static Crop needed(Crop crop, int height, int width) {
        int top = Math.min(Math.max(crop.top(), 0), height - 1);
        int left = Math.min(Math.max(crop.left(), 0), width - 1);
        int bottom = Math.max(Math.min(crop.top() + crop.height(), height), top + 1);
        int right = Math.max(Math.min(crop.left() + crop.width(), width), left + 1);
        return new Crop(top, left, bottom - top, right - left);
    }

    /** The largest of 8, 4, 2 and 1 by which a rectangle can be reduced and still has the pixels that are wanted. */
    static int reduction(Cropping.Taken taken) {
        for (int reduction = 8; reduction > 1; reduction /= 2) {
            if (taken.crop().height() >= taken.height() * reduction
                    && taken.crop().width() >= taken.width() * reduction) {
                return reduction;
            }
        }
        return 1;
    }

    /** A rectangle in a picture reduced so: its edges go to the nearest pixels, and at least one pixel stays. */
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

    /** An extent after reduction: rounded up, as libjpeg does. */
    static int extent(int extent, int reduction) {
        return (extent + reduction - 1) / reduction;
    }

    private static int nearest(int place, int reduction) {
        return (place + reduction / 2) / reduction;
    }

    /**
     * A crop of a picture, in the coordinates of the part of it that was decoded for this crop.
     *
     * @throws IllegalStateException when the part was decoded for another crop
     */
    static Crop within(Window window, Field part, Crop crop) {
        int height = window.pictureHeight();
        int width = window.pictureWidth();
        Crop reduced = reduced(crop, window.reduction(), height, width);
        Crop needed = needed(reduced, extent(height, window.reduction()), extent(width, window.reduction()));
        if (needed.top() != window.top()
                || needed.left() != window.left()
                || needed.height() != part.height()
                || needed.width() != part.width()) {
            throw new IllegalStateException("the stage behind decode takes crop " + crop + ", but it was told another: "
                    + "what was decoded is " + part);
        }
        return new Crop(
                reduced.top() - window.top(), reduced.left() - window.left(), reduced.height(), reduced.width());
    }
}
