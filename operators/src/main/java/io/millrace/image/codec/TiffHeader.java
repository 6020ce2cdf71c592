package io.millrace.image.codec;

import static io.millrace.image.codec.TiffDirectory.BITS;
import static io.millrace.image.codec.TiffDirectory.COMPRESSION;
import static io.millrace.image.codec.TiffDirectory.EXTRA_SAMPLES;
import static io.millrace.image.codec.TiffDirectory.FILL_ORDER;
import static io.millrace.image.codec.TiffDirectory.HEIGHT;
import static io.millrace.image.codec.TiffDirectory.ORIENTATION;
import static io.millrace.image.codec.TiffDirectory.PHOTOMETRIC;
import static io.millrace.image.codec.TiffDirectory.PLANES;
import static io.millrace.image.codec.TiffDirectory.PREDICTOR;
import static io.millrace.image.codec.TiffDirectory.SAMPLES;
import static io.millrace.image.codec.TiffDirectory.SAMPLE_FORMAT;
import static io.millrace.image.codec.TiffDirectory.STRIP_BYTES;
import static io.millrace.image.codec.TiffDirectory.STRIP_OFFSETS;
import static io.millrace.image.codec.TiffDirectory.TILE_BYTES;
import static io.millrace.image.codec.TiffDirectory.TILE_HEIGHT;
import static io.millrace.image.codec.TiffDirectory.TILE_OFFSETS;
import static io.millrace.image.codec.TiffDirectory.TILE_WIDTH;
import static io.millrace.image.codec.TiffDirectory.WIDTH;

import java.util.Set;

/** A reader of the header in a TIFF's first directory, which also decides how the image is decoded. */
final class TiffHeader {
    static final int SEPARATED = 5;
    static final int PREMULTIPLIED = 1;
    static final int FLOAT = 3;

    private static final int RGB = 2;
    private static final int PALETTE = 3;
    private static final int YCBCR = 6;
    private static final long SMALLEST_TILE_LIMIT = 1 << 20;
    /** The compressions that the JDK decodes to exact samples: none, LZW, Deflate by both its numbers, and PackBits. */
    private static final Set<Long> LOSSLESS = Set.of(1L, 5L, 8L, 32946L, 32773L);
    /** The kinds of a fourth channel that Pillow supports: unspecified, premultiplied, alpha, and that of Corel. */
    private static final Set<Long> EXTRAS = Set.of(0L, 1L, 2L, 999L);

    private final TiffDirectory tags;
    private final long channels;
    private final long depth;
    private final long photometric;
    private final long format;

    private TiffHeader(TiffDirectory tags) throws MalformedImageException {
        this.tags = tags;
        this.channels = tags.first(SAMPLES, 1);
        this.depth = tags.first(BITS, 1);
        this.photometric = tags.first(PHOTOMETRIC, 0);
        this.format = tags.first(SAMPLE_FORMAT, 1);
    }

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        TiffDirectory tags = new TiffDirectory(bytes);
        if (!tags.has(WIDTH) || !tags.has(HEIGHT)) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected ImageWidth and ImageLength in its first directory, found neither or one");
        }
        return new TiffHeader(tags).header(bytes);
    }

    private ImageHeader header(HeaderBytes bytes) throws MalformedImageException {
        long stated = tags.first(ORIENTATION, 1);
        int orientation = stated >= 1 && stated <= 8 ? (int) stated : 1;
        ImageHeader plain = ImageHeader.plain(
                ImageFormat.TIFF, tags.first(WIDTH, 0), tags.first(HEIGHT, 0), clamped(channels), clamped(depth));
        ImageHeader header = new ImageHeader(
                ImageFormat.TIFF,
                plain.width(),
                plain.height(),
                plain.channels(),
                plain.bitDepth(),
                photometric == SEPARATED,
                orientation,
                null,
                false);
        requireTilesNotOversized(header);
        boolean convertible = convertible();
        // OpenCV applies the orientation to some images only, and rejects some images with tiles.
        boolean preferred = orientation != 1 || tags.has(TILE_OFFSETS);
        if (orientation == 1 && openCvAgrees() && !(preferred && convertible)) {
            return header;
        }
        if (convertible) {
            tags.requireWithin();
            requirePartsWithin(bytes);
            return header.withConversion();
        }
        return header.withObstacle(String.format(
                "a TIFF of %d samples of %d bits (photometric interpretation %d, sample format %d, compression %d%s)",
                channels,
                depth,
                photometric,
                format,
                tags.first(COMPRESSION, 1),
                orientation == 1 ? "" : ", orientation " + orientation));
    }

    private static int clamped(long value) {
        return (int) Math.min(value, Integer.MAX_VALUE);
    }

    private boolean openCvAgrees() {
        if (format != 1) {
            return false;
        }
        return switch (clamped(channels)) {
            case 1 -> (depth == 1 || depth == Byte.SIZE) && photometric <= PALETTE;
            case 3 -> depth == Byte.SIZE && (photometric == RGB || photometric == YCBCR);
            default -> false;
        };
    }

    private boolean convertible() throws MalformedImageException {
        if (!LOSSLESS.contains(tags.first(COMPRESSION, 1))
                || tags.first(FILL_ORDER, 1) != 1
                || tags.first(PLANES, 1) != 1
                || !sameDepths()
                || (depth == 16 && differenced(tags) && tags.has(TILE_OFFSETS))) {
            return false;
        }
        boolean gray = photometric <= 1;
        boolean marked = tags.has(EXTRA_SAMPLES);
        long extra = tags.first(EXTRA_SAMPLES, 0);
        if (format == FLOAT) {
            return depth == 32 && channels == 1 && photometric == 1;
        }
        if (format != 1 || (depth != 8 && depth != 16)) {
            return false;
        }
        return switch (clamped(channels)) {
            case 1 -> gray;
            case 2 -> photometric == 1 && depth == 8 && marked && extra == 2;
            case 3 -> photometric == RGB;
            case 4 ->
                photometric == SEPARATED
                        ? !marked
                        : photometric == RGB && EXTRAS.contains(extra) && (depth == 8 || extra != PREMULTIPLIED);
            default -> false;
        };
    }

    /** Returns whether each sample is stored as the difference to the sample on its left. */
    static boolean differenced(TiffDirectory tags) throws MalformedImageException {
        return tags.first(PREDICTOR, 1) == 2;
    }

    private boolean sameDepths() throws MalformedImageException {
        for (long i = 1; i < Math.min(channels, tags.count(BITS)); i++) {
            if (tags.value(BITS, i) != depth) {
                return false;
            }
        }
        return true;
    }

    /** Rejects tiles that are far larger than the image, because they only cost memory. A tile may extend beyond the edge. */
    private void requireTilesNotOversized(ImageHeader header) throws MalformedImageException {
        long width = tags.first(TILE_WIDTH, 1);
        long height = tags.first(TILE_HEIGHT, 1);
        long most = Math.max(4 * header.pixels(), SMALLEST_TILE_LIMIT);
        if (width < 1 || height < 1 || width > most || height > most || width * height > most) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected tiles that are not far larger than the image of " + header.width() + "x"
                            + header.height() + ", found " + width + "x" + height);
        }
    }

    private void requirePartsWithin(HeaderBytes bytes) throws MalformedImageException {
        boolean tiled = tags.has(TILE_OFFSETS);
        int offsets = tiled ? TILE_OFFSETS : STRIP_OFFSETS;
        int lengths = tiled ? TILE_BYTES : STRIP_BYTES;
        for (long i = 0; i < tags.count(offsets); i++) {
            bytes.require(tags.value(offsets, i), tags.value(lengths, i), "pixels");
        }
    }
}
