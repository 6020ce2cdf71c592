package io.millrace.transform;

import io.millrace.image.AffineMap;
import io.millrace.image.AffineParameters;
import io.millrace.image.Crop;
import io.millrace.image.PerspectiveMap;
import io.millrace.image.Point;
import io.millrace.image.PointMap;
import io.millrace.transform.ImageFields.Extent;

/**
 * The way of boxes and points when a transform moves the pixels of a picture, as in torchvision's {@code transforms.v2.functional}.
 *
 * <p>Tested by {@code AnnotationsTest}.
 *
 * @param boxes the way of the corners of boxes, in pixels
 * @param points the way of points. Only mirroring distinguishes them: torchvision counts the places of points from the middle of the first
 *     pixel there
 * @param kind what happens to edges and sides
 * @param before the size of the picture before
 * @param after the size of the picture after
 */
record Movement(PointMap boxes, PointMap points, Kind kind, Extent before, Extent after) {
    /** The kind of movement. */
    enum Kind {
        /** Edges may turn or bend. */
        FREE,
        /** Edges stay horizontal or vertical, so that a box whose edges are in the wrong order stays one. */
        KEEPS_AXES,
        /** Like {@link #KEEPS_AXES}, and left becomes right. */
        FLIPS_SIDES
    }

    boolean keepsAxes() {
        return kind != Kind.FREE;
    }

    /** Returns the movement by a transform that leaves a picture as it is. Boxes without an area are removed all the same. */
    static Movement none(Extent size) {
        return axes(AffineMap.scaling(1, 0, 1, 0), size, size);
    }

    static Movement mirrorColumns(Extent size) {
        return new Movement(
                AffineMap.scaling(-1, size.width(), 1, 0),
                AffineMap.scaling(-1, size.width() - 1, 1, 0),
                Kind.FLIPS_SIDES,
                size,
                size);
    }

    static Movement mirrorRows(Extent size) {
        return mirrored(
                AffineMap.scaling(1, 0, -1, size.height()), AffineMap.scaling(1, 0, -1, size.height() - 1), size, size);
    }

    /** Returns the movement by a crop, which may reach beyond the picture. */
    static Movement crop(Extent size, Crop crop) {
        return axes(AffineMap.scaling(1, -crop.left(), 1, -crop.top()), size, new Extent(crop.height(), crop.width()));
    }

    /** Returns the movement by a crop whose pixels become {@code height} rows and {@code width} columns. */
    static Movement resizedCrop(Extent size, Crop crop, int height, int width) {
        double x = (double) width / crop.width();
        double y = (double) height / crop.height();
        return axes(AffineMap.scaling(x, -crop.left() * x, y, -crop.top() * y), size, new Extent(height, width));
    }

    /** Returns the movement by a change that {@code back} describes from the result to the picture. */
    static Movement affine(AffineMap back, Extent size) {
        AffineMap map = back.inverse();
        return new Movement(map, map, Kind.FREE, size, size);
    }

    /** Returns the movement by a perspective that {@code back} describes from the result to the picture. */
    static Movement perspective(PerspectiveMap back, Extent size) {
        PointMap map = back.inverse();
        return new Movement(map, map, Kind.FREE, size, size);
    }

    /**
     * Returns the movement by a rotation. On a canvas of another size, the uppermost and the leftmost corner of the picture touch its edges.
     *
     * @param degrees the angle, counter-clockwise
     * @param expanded whether the canvas has the size that the rotated picture needs
     */
    static Movement rotation(double degrees, Point center, boolean expanded, Extent before, Extent after) {
        AffineMap map =
                new AffineParameters(-degrees, 0, 0, 1, 0, 0).about(center).inverse();
        if (!expanded) {
            return new Movement(map, map, Kind.FREE, before, after);
        }
        Point[] corners = {
            map.at(0, 0), map.at(before.width(), 0), map.at(before.width(), before.height()), map.at(0, before.height())
        };
        double left = corners[0].x();
        double top = corners[0].y();
        for (Point corner : corners) {
            left = Math.min(left, corner.x());
            top = Math.min(top, corner.y());
        }
        AffineMap moved = map.movedBy(-left, -top);
        return new Movement(moved, moved, Kind.FREE, before, after);
    }

    /**
     * Returns the movement by turning a picture upright.
     *
     * @param orientation EXIF's value, 1 to 8
     * @param stored the size before
     */
    static Movement upright(int orientation, Extent stored) {
        boolean transposed = orientation >= 5;
        Extent after = transposed ? new Extent(/* height= */ stored.width(), /* width= */ stored.height()) : stored;
        boolean columns = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
        boolean rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
        return mirrored(
                turned(transposed, columns, rows, after.width(), after.height()),
                turned(transposed, columns, rows, after.width() - 1, after.height() - 1),
                stored,
                after);
    }

    private static AffineMap turned(boolean transposed, boolean columns, boolean rows, int lastX, int lastY) {
        double x = columns ? -1 : 1;
        double y = rows ? -1 : 1;
        double dx = columns ? lastX : 0;
        double dy = rows ? lastY : 0;
        return transposed ? new AffineMap(0, x, dx, y, 0, dy) : AffineMap.scaling(x, dx, y, dy);
    }

    private static Movement axes(AffineMap map, Extent before, Extent after) {
        return new Movement(map, map, Kind.KEEPS_AXES, before, after);
    }

    private static Movement mirrored(AffineMap boxes, AffineMap points, Extent before, Extent after) {
        return new Movement(boxes, points, Kind.KEEPS_AXES, before, after);
    }
}
