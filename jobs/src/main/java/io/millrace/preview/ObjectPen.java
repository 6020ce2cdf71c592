package io.millrace.preview;

import io.millrace.preview.ShownObjects.Box;
import io.millrace.preview.ShownObjects.Dot;
import io.millrace.preview.ShownObjects.Mask;
import io.millrace.sample.Field;

/**
 * A drawer of boxes with the names of their classes, of points and of the outlines of masks, on the thumbnail of a picture. The
 * colours are those of the classes, or of the rows where objects have no class.
 */
final class ObjectPen {
    /** The largest number of objects of a kind that are drawn. More would hide the picture. */
    static final int MOST = 200;

    private static final int INK = 0x101418;
    private static final int LINE = 2;
    private static final int DOT = 5;
    private static final double OUTSIDE = 8;
    private static final int TEXT_PADDING = 2;

    private final Raster raster;
    private final ShownObjects objects;
    private final int width;
    private final int height;
    private final double columns;
    private final double rows;

    private ObjectPen(Field thumbnail, Field picture, ShownObjects objects) {
        this.raster = new Raster(thumbnail.width(), thumbnail.height(), 0);
        this.objects = objects;
        this.width = thumbnail.width();
        this.height = thumbnail.height();
        this.columns = objects.place().columns() * thumbnail.width() / picture.width();
        this.rows = objects.place().rows() * thumbnail.height() / picture.height();
    }

    /**
     * Returns a thumbnail with the objects of its picture drawn over it; the thumbnail itself when there are none.
     *
     * @param thumbnail the picture in another size, uint8 [height, width, 1 or 3]
     */
    static Field draw(Field thumbnail, Field picture, ShownObjects objects) {
        if (objects.boxes().isEmpty()
                && objects.dots().isEmpty()
                && objects.masks().isEmpty()) {
            return thumbnail;
        }
        ObjectPen pen = new ObjectPen(thumbnail, picture, objects);
        pen.raster.image(0, 0, thumbnail);
        objects.masks().stream().limit(MOST).forEach(pen::outline);
        objects.boxes().stream().limit(MOST).forEach(pen::frame);
        objects.boxes().stream().limit(MOST).forEach(pen::name);
        objects.dots().stream().limit(MOST).forEach(pen::dot);
        return pen.raster.field();
    }

    /** Returns the colour of an object's number, which is neither black nor white. */
    static int color(int number) {
        return MaskColors.color(1 + number);
    }

    /** Returns the column of the thumbnail on which an edge lies, which may be outside of it. */
    private int column(double x) {
        return nearest((x - objects.place().left()) * columns, width);
    }

    private int row(double y) {
        return nearest((y - objects.place().top()) * rows, height);
    }

    private static int nearest(double place, int extent) {
        // What is far outside is drawn just outside.
        return (int) Math.round(Math.min(Math.max(place, -OUTSIDE), extent + OUTSIDE));
    }

    private void frame(Box box) {
        int left = column(box.left());
        int top = row(box.top());
        int right = Math.max(column(box.right()), left + 1);
        int bottom = Math.max(row(box.bottom()), top + 1);
        for (int line = 0; line < LINE; line++) {
            raster.frame(
                    left + line,
                    top + line,
                    Math.max(right - left - 2 * line, 1),
                    Math.max(bottom - top - 2 * line, 1),
                    color(box.number()));
        }
    }

    /** Writes the name above the box, or within it where the thumbnail has no room above. */
    private void name(Box box) {
        String name = Lettering.TEXT.fit(box.name(), width - 2 * TEXT_PADDING);
        if (name.isEmpty()) {
            return;
        }
        int textWidth = Lettering.TEXT.width(name) + 2 * TEXT_PADDING;
        int textHeight = Lettering.TEXT.lineHeight();
        int left = Math.max(Math.min(column(box.left()), width - textWidth), 0);
        int above = row(box.top()) - textHeight;
        int top = Math.min(above >= 0 ? above : Math.max(row(box.top()), 0), height - textHeight);
        raster.fill(left, top, textWidth, textHeight, color(box.number()));
        raster.text(left + TEXT_PADDING, top + textHeight - 2 * TEXT_PADDING, name, Lettering.TEXT, INK);
    }

    private void dot(Dot dot) {
        int left = column(dot.x()) - DOT / 2;
        int top = row(dot.y()) - DOT / 2;
        raster.fill(left, top, DOT, DOT, INK);
        raster.fill(left + 1, top + 1, DOT - 2, DOT - 2, color(dot.number()));
    }

    /** Colours the pixels of the thumbnail that belong to a mask and have a neighbour that does not. */
    private void outline(Mask mask) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                boolean edge = covers(mask, y, x)
                        && !(covers(mask, y - 1, x)
                                && covers(mask, y + 1, x)
                                && covers(mask, y, x - 1)
                                && covers(mask, y, x + 1));
                if (edge) {
                    raster.fill(x, y, 1, 1, color(mask.number()));
                }
            }
        }
    }

    private boolean covers(Mask mask, int y, int x) {
        return mask.has((int) Math.floor((y + 0.5) / rows + objects.place().top()), (int)
                Math.floor((x + 0.5) / columns + objects.place().left()));
    }
}
