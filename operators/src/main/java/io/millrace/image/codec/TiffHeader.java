package io.millrace.image.codec;

import static io.millrace.image.codec.TiffDirectory.BITS;
import static io.millrace.image.codec.TiffDirectory.COMPRESSION;
import static io.millrace.image.codec.TiffDirectory.EXTRA_SAMPLES;
import static io.millrace.image.codec.TiffDirectory.FILL_ORDER;
import static io.millrace.image.codec.TiffDirectory.HEIGHT;
import static io.millrace.image.codec.TiffDirectory.PHOTOMETRIC;
import static io.millrace.image.codec.TiffDirectory.PLANES;
import static io.millrace.image.codec.TiffDirectory.PREDICTOR;
import static io.millrace.image.codec.TiffDirectory.SAMPLES;
import static io.millrace.image.codec.TiffDirectory.SAMPLE_FORMAT;
import static io.millrace.image.codec.TiffDirectory.WIDTH;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a TIFF's first directory, which also decides whether Pillow's pixels of the image are known.
 *
 * <p>Tested by {@code ImageHeaderTest}.
 */
final class TiffHeader {
    static final int WHITE_IS_ZERO = 0;
    static final int RGB = 2;
    static final int PALETTE = 3;
    static final int SEPARATED = 5;
    static final int YCBCR = 6;

    private static final int BLACK_IS_ZERO = 1;
    private static final long PREMULTIPLIED = 1;
    private static final int FLOAT = 3;
    private static final int MOST_CHANNELS = 6;
    private static final List<Long> ALPHA = List.of(2L);

    final TiffDirectory tags;
    /** The number of samples that the file has for each pixel. */
    final int stored;

    final int depth;
    final int photometric;
    final int predictor;
    final TiffCompression compression;
    /** Whether there is a plane for each sample, one after the other. */
    final boolean separate;
    /** Whether the bits in each byte have the opposite order. */
    final boolean reversed;

    private final long format;
    private final List<Long> extras;
    /** The number of samples without those that Pillow ignores. */
    private final int channels;

    TiffHeader(TiffDirectory tags) throws MalformedImageException {
        this.tags = tags;
        this.stored = clamped(tags.first(SAMPLES, 1));
        this.photometric = clamped(tags.first(PHOTOMETRIC, 0));
        this.compression = TiffCompression.of(tags.first(COMPRESSION, 1));
        this.predictor = compression.predicts() ? clamped(tags.first(PREDICTOR, 1)) : 1;
        this.separate = expected(PLANES) == 2;
        this.reversed = expected(FILL_ORDER) == 2;
        this.depth = same(BITS);
        this.format = same(SAMPLE_FORMAT);
        Long[] all = new Long[(int) Math.min(tags.count(EXTRA_SAMPLES), MOST_CHANNELS)];
        for (int i = 0; i < all.length; i++) {
            all[i] = tags.value(EXTRA_SAMPLES, i);
        }
        boolean ignored = separate && all.length > 0 && Arrays.stream(all).allMatch(extra -> extra == 0);
        this.extras = ignored ? List.of() : List.of(all);
        this.channels = ignored ? Math.max(0, stored - all.length) : stored;
    }

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        TiffDirectory tags = new TiffDirectory(bytes);
        if (!tags.has(WIDTH) || !tags.has(HEIGHT)) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected ImageWidth and ImageLength in its first directory, found neither or one");
        }
        return new TiffHeader(tags).header();
    }

    private ImageHeader header() throws MalformedImageException {
        ImageHeader plain = ImageHeader.plain(
                ImageFormat.TIFF, tags.first(WIDTH, 0), tags.first(HEIGHT, 0), channels, Math.max(0, depth));
        ImageHeader header = new ImageHeader(
                ImageFormat.TIFF,
                plain.width(),
                plain.height(),
                plain.channels(),
                plain.bitDepth(),
                photometric == SEPARATED,
                obstacle(),
                true);
        if (header.obstacle() == null && header.width() > 0 && header.height() > 0) {
            TiffParts.of(this, header.width(), header.height());
        }
        return header;
    }

    private static int clamped(long value) {
        return (int) Math.min(value, Integer.MAX_VALUE);
    }

    /** Returns the value of a tag that must be 1 or 2; 1 when it is absent. */
    private int expected(int tag) throws MalformedImageException {
        long value = tags.first(tag, 1);
        if (value != 1 && value != 2) {
            throw new MalformedImageException(4, "corrupt TIFF: expected 1 or 2 in tag " + tag + ", found " + value);
        }
        return (int) value;
    }

    /** Returns the value of a tag that has a value for each sample, or one for all; -1 when they differ. */
    private int same(int tag) throws MalformedImageException {
        long first = tags.first(tag, 1);
        long values = tags.count(tag);
        for (long i = 1; i < Math.min(Math.max(stored, 1), Math.min(values, MOST_CHANNELS + 1)); i++) {
            if (tags.value(tag, i) != first) {
                return -1;
            }
        }
        return values > 1 && values < Math.min(stored, MOST_CHANNELS + 1) ? -1 : clamped(first);
    }

    /** Returns why the image cannot be decoded to Pillow's pixels; null when it can be. */
    private @Nullable String obstacle() {
        if (tags.big() && !tags.little()) {
            return "a big-endian BigTIFF, which Pillow does not read";
        }
        if (depth < 1) {
            return "a TIFF of " + stored + " samples whose numbers of bits differ or are missing";
        }
        String missing = compression.obstacle(this);
        if (missing != null) {
            return missing;
        }
        if (predictor != 1 && !predictable()) {
            return String.format("a TIFF of %d bits with predictor %d, which is not supported", depth, predictor);
        }
        if (supported()) {
            return null;
        }
        return String.format(
                "a TIFF of %d samples of %d bits (photometric interpretation %d, sample format %d, compression %d%s)",
                stored, depth, photometric, format, compression.number(), details());
    }

    private String details() {
        return (extras.isEmpty() ? "" : ", extra samples " + extras)
                + (separate ? ", separate planes" : "")
                + (reversed ? ", reversed bits" : "")
                + (tags.little() ? "" : ", big-endian");
    }

    private boolean predictable() {
        return switch (predictor) {
            case 2 -> depth == 8 || depth == 16 || depth == 32;
            case 3 -> isFloat();
            default -> false;
        };
    }

    /** Returns whether the samples are numbers with a fraction. */
    boolean isFloat() {
        return format == FLOAT && depth == Float.SIZE;
    }

    /** Returns whether colours were multiplied by the fourth sample. */
    boolean premultiplied() {
        return photometric == RGB && !extras.isEmpty() && extras.get(0) == PREMULTIPLIED;
    }

    /** Returns the number of planes that are decoded. */
    int planes() {
        return separate ? channels : 1;
    }

    /** Returns the number of samples of a pixel that are stored together. */
    int together() {
        return separate ? 1 : stored;
    }

    /** Returns whether Pillow supports the samples, and reads them as they were written. */
    private boolean supported() {
        boolean stored = compression.method() == TiffCompression.Method.NONE;
        if ((reversed && !reversible(stored)) || (separate && !separable(stored))) {
            return false;
        }
        if (isFloat() && !tags.little() && (separate || !stored)) {
            return false; // Pillow reads the bytes of these floats in the wrong order
        }
        return switch (photometric) {
            case WHITE_IS_ZERO, BLACK_IS_ZERO -> gray();
            case PALETTE ->
                format == 1
                        && (channels == 1
                                ? small()
                                : channels == 2 && depth == 8 && (extras.equals(List.of(0L)) || extras.equals(ALPHA)));
            case RGB -> format == 1 && color();
            case SEPARATED ->
                format == 1
                        && channels >= 4
                        && (depth == 8 || (depth == 16 && channels == 4))
                        && extras.size() == channels - 4
                        && extras.stream().allMatch(extra -> extra == 0);
            case YCBCR -> format == 1 && depth == 8 && extras.isEmpty() && channels == 3 && !separate && !stored;
            default -> false;
        };
    }

    private boolean reversible(boolean stored) {
        if (channels == 1 && depth <= Byte.SIZE) {
            return !stored || (photometric == PALETTE ? depth == 8 : photometric != WHITE_IS_ZERO || depth < 8);
        }
        return channels == 3 && depth == 8 && photometric == RGB;
    }

    /** Returns whether Pillow reads separate planes of these samples. It reads fewer kinds if they are not compressed. */
    private boolean separable(boolean stored) {
        if (channels > 4 || (photometric == RGB && channels == 4 && extras.isEmpty())) {
            return false;
        }
        if (!stored) {
            return true;
        }
        boolean direct = photometric != WHITE_IS_ZERO && channels != 2 && !premultiplied() && !reversed;
        return direct && (depth == 8 || (depth == 1 && photometric == BLACK_IS_ZERO));
    }

    private boolean small() {
        return extras.isEmpty() && (depth == 1 || depth == 2 || depth == 4 || depth == 8);
    }

    private boolean gray() {
        if (channels == 2) {
            return format == 1 && photometric == BLACK_IS_ZERO && depth == 8 && extras.equals(ALPHA);
        }
        if (channels != 1 || !extras.isEmpty()) {
            return false;
        }
        if (isFloat()) {
            return true;
        }
        return format == 1 && (small() || (depth == 16 && (photometric == BLACK_IS_ZERO || tags.little())));
    }

    private boolean color() {
        if (channels < 3 || channels > MOST_CHANNELS || (depth != 8 && (depth != 16 || channels > 4))) {
            return false;
        }
        if (extras.isEmpty()) {
            return channels <= 4;
        }
        long first = extras.get(0);
        boolean known = first <= 2 || (first == 999 && depth == 8 && channels == 4);
        return known && extras.size() == channels - 3 && extras.stream().skip(1).allMatch(extra -> extra == 0);
    }
}
