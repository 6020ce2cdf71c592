package io.millrace.dataset.coco;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pixels of an object: polygons, or the lengths of runs down the columns of the picture. Immutable, although its arrays are not
 * copied.
 *
 * <p>Tested by {@code OutlineTest}.
 */
final class Outline {
    static final Outline NOTHING = new Outline(new int[0][], new int[0], 0, 0);

    /** Polygons are drawn on a grid that is so many times finer than the pixels. */
    static final int SCALE = 5;

    /** The largest coordinate of a polygon in pixels. Larger ones would take long to draw. */
    static final double MOST = 1 << 20;

    private static final int LEAST_NUMBERS = 6;

    private final int[][] polygons;
    private final int[] runs;
    private final int height;
    private final int width;

    /**
     * Creates an outline.
     *
     * @param polygons for each polygon its corners x, y, x, y, in {@link #fine} places
     * @param runs the lengths of runs, first outside of the object; empty for polygons
     * @param height the rows of the runs; 0 for polygons
     * @param width the columns of the runs; 0 for polygons
     */
    Outline(int[][] polygons, int[] runs, int height, int width) {
        this.polygons = polygons;
        this.runs = runs;
        this.height = height;
        this.width = width;
    }

    /** Returns a place on the fine grid. */
    static int fine(double coordinate) {
        return (int) (SCALE * coordinate + 0.5);
    }

    /** Returns the reason for which these numbers are no polygon; an empty text if they are one. */
    static String polygonProblem(double[] numbers) {
        if (numbers.length < LEAST_NUMBERS || numbers.length % 2 != 0) {
            return "expected polygons of at least three points x, y as segmentation, found " + numbers.length
                    + " numbers";
        }
        for (double number : numbers) {
            if (!(Math.abs(number) <= MOST)) {
                return "expected coordinates of at most " + (int) MOST + " pixels as segmentation, found " + number;
            }
        }
        return "";
    }

    /** Returns the reason for which the object has no mask in a picture of a size; an empty text if it has one. */
    String problem(int pictureHeight, int pictureWidth) {
        if (polygons.length > 0 || runs.length == 0) {
            return "";
        }
        if (height != pictureHeight || width != pictureWidth) {
            return "expected runs of the size of the picture, [" + pictureHeight + ", " + pictureWidth + "], found ["
                    + height + ", " + width + "]";
        }
        long sum = 0;
        for (int run : runs) {
            if (run < 0) {
                return "expected runs of 0 or more pixels, found " + run;
            }
            sum += run;
        }
        return sum == (long) height * width
                ? ""
                : "expected runs of " + (long) height * width + " pixels together, found " + sum;
    }

    /** The columns of pixels that the edges of a polygon can cross, and one more on each side, without {@code end}. */
    private record Columns(int first, int end) {
        static Columns of(int[] polygon, int pictureWidth) {
            int least = Integer.MAX_VALUE;
            int most = Integer.MIN_VALUE;
            for (int i = 0; i < polygon.length; i += 2) {
                least = Math.min(least, polygon[i]);
                most = Math.max(most, polygon[i]);
            }
            int first = Math.min(Math.max(Math.floorDiv(least, SCALE) - 1, 0), pictureWidth);
            return new Columns(first, Math.min(Math.max(Math.floorDiv(most, SCALE) + 2, first), pictureWidth));
        }
    }

    /** Returns about the number of bytes that the object takes in memory. */
    long bytes() {
        long bytes = 64 + (long) Integer.BYTES * runs.length;
        for (int[] polygon : polygons) {
            bytes += 24 + (long) Integer.BYTES * polygon.length;
        }
        return bytes;
    }

    /** Returns about the number of steps in which {@link #draw} draws the object's polygons. */
    long steps(int pictureHeight, int pictureWidth) {
        long steps = 0;
        for (int[] polygon : polygons) {
            for (int i = 0; i < polygon.length; i += 2) {
                int next = (i + 2) % polygon.length;
                int columns = Math.abs(polygon[next] - polygon[i]);
                steps += 1 + Math.max(columns, Math.abs(polygon[next + 1] - polygon[i + 1]));
            }
            Columns columns = Columns.of(polygon, pictureWidth);
            steps += (long) (columns.end - columns.first) * pictureHeight;
        }
        return steps;
    }

    /**
     * Draws the object.
     *
     * @param mask the pixels row by row, to which those of the object are added as 1
     * @param at the place of the first pixel in {@code mask}
     */
    void draw(byte[] mask, int at, int pictureHeight, int pictureWidth) {
        int pixels = pictureHeight * pictureWidth;
        boolean[] changes = polygons.length == 0 ? new boolean[0] : new boolean[pixels + 1];
        for (int[] polygon : polygons) {
            trace(polygon, changes, pictureHeight, pictureWidth);
            Columns columns = Columns.of(polygon, pictureWidth);
            int from = columns.first * pictureHeight;
            int end = columns.end * pictureHeight;
            boolean inside = false;
            for (int i = from; i < pixels && (inside || i <= end); i++) {
                inside ^= changes[i];
                if (inside) {
                    mask[at + (i % pictureHeight) * pictureWidth + i / pictureHeight] = 1;
                }
            }
            Arrays.fill(changes, from, end + 1, false);
        }
        int place = 0;
        for (int run = 0; run < runs.length; run++) {
            for (int i = 0; i < runs[run]; i++, place++) {
                if (run % 2 == 1) {
                    mask[at + (place % pictureHeight) * pictureWidth + place / pictureHeight] = 1;
                }
            }
        }
    }

    /**
     * Marks the places, counted down the columns, at which a polygon begins or ends. They are those of pycocotools: the edges go from
     * point to point of the fine grid, and where they cross the middle of a column of pixels, the next pixel below begins or ends. Two
     * changes at one place cancel each other.
     */
    private static void trace(int[] polygon, boolean[] changes, int height, int width) {
        int corners = polygon.length / 2;
        boolean first = true;
        int lastX = 0;
        int lastY = 0;
        for (int corner = 0; corner < corners; corner++) {
            int next = (corner + 1) % corners;
            int fromX = polygon[2 * corner];
            int fromY = polygon[2 * corner + 1];
            int toX = polygon[2 * next];
            int toY = polygon[2 * next + 1];
            int columns = Math.abs(toX - fromX);
            int rows = Math.abs(toY - fromY);
            boolean flat = columns >= rows;
            // Lines are drawn in the direction of growing coordinates, which decides how halves are rounded.
            boolean backward = flat ? fromX > toX : fromY > toY;
            int beginX = backward ? toX : fromX;
            int beginY = backward ? toY : fromY;
            double slope = flat
                    ? (double) (backward ? fromY - toY : toY - fromY) / columns
                    : (double) (backward ? fromX - toX : toX - fromX) / rows;
            int steps = Math.max(columns, rows);
            for (int step = 0; step <= steps; step++) {
                int along = backward ? steps - step : step;
                int x = flat ? beginX + along : (int) (beginX + slope * along + 0.5);
                int y = flat ? (int) (beginY + slope * along + 0.5) : beginY + along;
                if (!first && x != lastX) {
                    cross(x, y, lastX, lastY, changes, height, width);
                }
                first = false;
                lastX = x;
                lastY = y;
            }
        }
    }

    private static void cross(int x, int y, int lastX, int lastY, boolean[] changes, int height, int width) {
        double column = ((x < lastX ? x : x - 1) + 0.5) / SCALE - 0.5;
        if (Math.floor(column) != column || column < 0 || column > width - 1) {
            return;
        }
        double row = Math.ceil(Math.min(Math.max((Math.min(y, lastY) + 0.5) / SCALE - 0.5, 0), height));
        int place = ((int) column) * height + (int) row;
        changes[place] = !changes[place];
    }

    /**
     * Returns the lengths of the runs that pycocotools writes as text: numbers of five bits in each letter, the lowest first, from the
     * fourth on as differences to the one two before.
     *
     * @return null when the text is no such list
     */
    static int @Nullable [] unpacked(String text) {
        int[] runs = new int[text.length()];
        int count = 0;
        int at = 0;
        while (at < text.length()) {
            long value = 0;
            int shift = 0;
            int letter;
            do {
                letter = at < text.length() ? text.charAt(at++) - '0' : -1;
                if (letter < 0 || letter > 63 || shift > 30) {
                    return null;
                }
                value |= (long) (letter & 31) << shift;
                shift += 5;
            } while ((letter & 32) != 0);
            if ((letter & 16) != 0) {
                value |= -1L << shift;
            }
            value += count > 2 ? runs[count - 2] : 0;
            if (value < 0 || value > Integer.MAX_VALUE) {
                return null;
            }
            runs[count++] = (int) value;
        }
        return Arrays.copyOf(runs, count);
    }
}
