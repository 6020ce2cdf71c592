package io.millrace.image.codec;

import static io.millrace.image.codec.TiffDirectory.STRIP_BYTES;
import static io.millrace.image.codec.TiffDirectory.STRIP_OFFSETS;
import static io.millrace.image.codec.TiffDirectory.STRIP_ROWS;
import static io.millrace.image.codec.TiffDirectory.TILE_BYTES;
import static io.millrace.image.codec.TiffDirectory.TILE_HEIGHT;
import static io.millrace.image.codec.TiffDirectory.TILE_OFFSETS;
import static io.millrace.image.codec.TiffDirectory.TILE_WIDTH;

/**
 * The strips or tiles of a TIFF, in the order in which they are stored: plane by plane, row by row.
 *
 * @param tags the directory
 * @param offsets the tag with their offsets
 * @param sizes the tag with their numbers of bytes
 * @param tiled whether the parts are tiles, which extend beyond the edge of the image; otherwise they are strips, which do not
 * @param width the number of columns of a part
 * @param height the number of rows of a part
 * @param across the number of parts in a row
 * @param down the number of parts in a column
 */
record TiffParts(
        TiffDirectory tags, int offsets, int sizes, boolean tiled, int width, int height, int across, int down) {
    private static final long SMALLEST_TILE_LIMIT = 1 << 20;
    private static final long SMALLEST_TILES_LIMIT = 1 << 26;

    /** Returns the parts of an image, after a check of their number and size. */
    static TiffParts of(TiffHeader header, int imageWidth, int imageHeight) throws MalformedImageException {
        TiffDirectory tags = header.tags;
        boolean tiled = tags.has(TILE_WIDTH) || tags.has(TILE_HEIGHT) || tags.has(TILE_OFFSETS);
        // Some programs store the offsets of tiles in the tags of strips. Pillow reads them only with libtiff.
        boolean swapped =
                tiled && !tags.has(TILE_OFFSETS) && header.compression.method() != TiffCompression.Method.NONE;
        int offsets = tiled && !swapped ? TILE_OFFSETS : STRIP_OFFSETS;
        int sizes = tiled && !swapped ? TILE_BYTES : STRIP_BYTES;
        if (!tags.has(offsets) || tags.has(offsets == TILE_OFFSETS ? STRIP_OFFSETS : TILE_OFFSETS)) {
            throw new MalformedImageException(
                    4, "corrupt TIFF: expected the offsets of either strips or tiles, found both or none of them");
        }
        TiffParts parts;
        if (tiled) {
            long width = tags.first(TILE_WIDTH, 0);
            long height = tags.first(TILE_HEIGHT, 0);
            requireTilesNotOversized(imageWidth, imageHeight, width, height);
            parts = new TiffParts(
                    tags,
                    offsets,
                    sizes,
                    true,
                    (int) width,
                    (int) height,
                    divided(imageWidth, (int) width),
                    divided(imageHeight, (int) height));
        } else {
            long rows = tags.first(STRIP_ROWS, imageHeight);
            if (rows < 1) {
                throw new MalformedImageException(4, "corrupt TIFF: expected strips of at least 1 row, found " + rows);
            }
            int height = (int) Math.min(rows, imageHeight);
            parts = new TiffParts(tags, offsets, sizes, false, imageWidth, height, 1, divided(imageHeight, height));
        }
        parts.requireNumber(header);
        return parts;
    }

    private static int divided(int length, int part) {
        return (int) (((long) length + part - 1) / part);
    }

    /** Rejects tiles that are far larger than the image, because they only cost memory. A tile may extend beyond the edge. */
    private static void requireTilesNotOversized(int imageWidth, int imageHeight, long width, long height)
            throws MalformedImageException {
        long pixels = Math.min(4 * DecodeLimits.MOST_PIXELS, (long) imageWidth * imageHeight) * 4;
        long most = Math.max(pixels, SMALLEST_TILE_LIMIT);
        boolean single = width >= 1 && height >= 1 && width <= most && height <= most && width * height <= most;
        if (!single
                || (imageWidth + width - 1) / width * width * ((imageHeight + height - 1) / height * height)
                        > Math.max(pixels, SMALLEST_TILES_LIMIT)) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected tiles that are not far larger than the image of " + imageWidth + "x"
                            + imageHeight + ", found " + width + "x" + height);
        }
    }

    private void requireNumber(TiffHeader header) throws MalformedImageException {
        long needed = (long) across * down * header.planes();
        long found = tags.count(offsets);
        // libtiff ignores further offsets. Pillow reads files that are not compressed without libtiff, and does not.
        boolean exact = header.compression.method() == TiffCompression.Method.NONE;
        if (exact ? found != needed : found < needed) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected the offsets of " + needed + (tiled ? " tiles" : " strips") + ", found "
                            + found);
        }
    }

    /** Returns the number of rows that a part in a row of parts stores. */
    int rows(int row, int imageHeight) {
        return tiled ? height : Math.min(height, imageHeight - row * height);
    }

    /** Returns the offset of a part. */
    long at(long part) throws MalformedImageException {
        return tags.value(offsets, part);
    }

    /** Returns the stated number of bytes of a part; 0 if there is none. */
    long bytes(long part) throws MalformedImageException {
        return tags.has(sizes) ? tags.value(sizes, part) : 0;
    }
}
