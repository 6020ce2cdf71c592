package io.millrace.image;

import io.millrace.sample.Field;
import org.jspecify.annotations.Nullable;

/**
 * A resizer of uint8 HWC images with 1 or 3 channels, whose pixels equal those of Pillow's {@code Image.resize}.
 * Filters widen when shrinking (torchvision's {@code antialias=True}), weights have 22 fractional bits, and the row
 * between the horizontal and the vertical pass is rounded to bytes.
 *
 * <p>Belongs to one thread, because it keeps scratch rows and the tables of recent sizes.
 */
public final class Resampler {
    /**
     * The number of tables that are kept, each at the hash of its sizes. Random crops of photos have a few hundred
     * sizes.
     */
    private static final int TABLES = 512;

    /**
     * The size above which tables are not kept. The larger tables of very large images are computed each time, so that
     * 512 kept tables and their mirrored ones need at most 64 MB.
     */
    private static final int LARGEST_KEPT_WEIGHTS = 1 << 14;

    /** Above this ratio of height to width, Pillow's {@code Image.resize} shrinks vertically first. */
    private static final int TALL = 100;

    private static final byte[] NONE = {};

    private final Interpolation interpolation;
    private final @Nullable ResampleTable[] tables = new ResampleTable[TABLES];

    /** The passes; null before the first resize, because a pipeline is checked without choosing and loading kernels. */
    private @Nullable ResizeKernel kernel;

    /** Creates a resizer with an interpolation. */
    public Resampler(Interpolation interpolation) {
        this.interpolation = interpolation;
    }

    /** Creates a resizer with given kernels. */
    Resampler(Interpolation interpolation, Kernels kernels) {
        this.interpolation = interpolation;
        this.kernel = kernels.resize();
    }

    /** Resizes the whole image to [height, width, channels]. */
    public Field resize(Field image, int height, int width) {
        return resize(image, Crop.whole(image.height(), image.width()), height, width);
    }

    /**
     * Cuts out a rectangle and resizes it. Pixels outside of the rectangle have no influence.
     *
     * @param image the image
     * @param crop a rectangle within the image
     * @param height the rows of the result, at least 1
     * @param width the columns of the result, at least 1
     * @return a new image with the same number of channels
     */
    public Field resize(Field image, Crop crop, int height, int width) {
        return resize(image, crop, height, width, NONE);
    }

    /** Resizes a rectangle, into {@code spare} if a filter is used and the length of the array is exactly right. */
    public Field resize(Field image, Crop crop, int height, int width, byte[] spare) {
        return resize(image, crop, new Result(height, width, ColumnOrder.AS_STORED), spare);
    }

    /**
     * The result of a resize.
     *
     * @param height the rows, at least 1
     * @param width the columns, at least 1
     * @param columns the order of the columns
     */
    public record Result(int height, int width, ColumnOrder columns) {}

    /** Resizes a rectangle as {@link #resize(Field, Crop, int, int, byte[])} does, and can mirror the result on the way. */
    public Field resize(Field image, Crop crop, Result result, byte[] spare) {
        int height = result.height();
        int width = result.width();
        if (image.channels() != 1 && image.channels() != 3) {
            throw new IllegalArgumentException("expected an image of 1 or 3 channels, found " + image);
        }
        if (!crop.within(image.height(), image.width()) || height < 1 || width < 1) {
            throw new IllegalArgumentException(
                    "cannot resize crop " + crop + " of " + image + " to " + height + "x" + width);
        }
        if (isCopy(crop, height, width)) {
            return ordered(PixelOps.crop(image, crop, 0, spare), result.columns());
        }
        if (interpolation == Interpolation.NEAREST) {
            return ordered(NearestResampling.resize(image, crop, height, width), result.columns());
        }
        if (shrinksDownFirst(crop, height, width)) {
            Field shrunk = filter(image, crop, new Result(height, crop.width(), ColumnOrder.AS_STORED), NONE);
            return filter(shrunk, Crop.whole(height, crop.width()), result, spare);
        }
        return filter(image, crop, result, spare);
    }

    private static Field ordered(Field result, ColumnOrder columns) {
        if (columns == ColumnOrder.MIRRORED) {
            PixelOps.mirrorColumns(result);
        }
        return result;
    }

    private static boolean isCopy(Crop crop, int height, int width) {
        return crop.height() == height && crop.width() == width;
    }

    /**
     * Returns the weights of a resize whose passes need each row of the crop once and in order, the horizontal one
     * first; null if the resize is not of this kind.
     */
    @Nullable
    Weights weights(Crop crop, Result result) {
        int height = result.height();
        int width = result.width();
        return isCopy(crop, height, width)
                        || interpolation == Interpolation.NEAREST
                        || shrinksDownFirst(crop, height, width)
                ? null
                : new Weights(across(crop, result), table(crop.height(), height));
    }

    private ResampleTable across(Crop crop, Result result) {
        ResampleTable table = table(crop.width(), result.width());
        return result.columns() == ColumnOrder.MIRRORED ? table.mirrored() : table;
    }

    /** The weights of both passes: along a row, and along a column. */
    record Weights(ResampleTable across, ResampleTable down) {}

    static boolean shrinksDownFirst(Crop crop, int height, int width) {
        return crop.height() > (long) crop.width() * TALL && height < crop.height() && width != crop.width();
    }

    private Field filter(Field image, Crop crop, Result result, byte[] spare) {
        int channels = image.channels();
        ResampleTable across = across(crop, result);
        ResampleTable down = table(crop.height(), result.height());
        // Weights that are not negative have the sum 2^22, except for rounding errors. With many taps these could lead
        // to results above 255.
        ResizeKernel.Overshoot overshoot = new ResizeKernel.Overshoot(
                interpolation.overshoots() || across.taps > 4, interpolation.overshoots() || down.taps > 4);
        int length = Math.multiplyExact(result.height(), result.width() * channels);
        byte[] pixels = spare.length == length ? spare : new byte[length];
        int stride = image.width() * channels;
        kernel().resize(
                        image.data(),
                        crop.top() * stride + crop.left() * channels,
                        stride,
                        channels,
                        across,
                        down,
                        overshoot,
                        pixels);
        return Field.image(result.height(), result.width(), channels, pixels);
    }

    private ResizeKernel kernel() {
        ResizeKernel known = kernel;
        if (known == null) {
            known = Kernels.chosen().resize();
            kernel = known;
        }
        return known;
    }

    /** Returns the weights from {@code in} to {@code out} pixels. */
    private ResampleTable table(int in, int out) {
        int slot = Math.floorMod(31 * out + in, TABLES);
        ResampleTable kept = tables[slot];
        if (kept != null && kept.in == in && kept.out == out) {
            return kept;
        }
        ResampleTable made = ResampleTable.of(interpolation, in, out);
        if (made.weights.length <= LARGEST_KEPT_WEIGHTS) {
            tables[slot] = made;
        }
        return made;
    }
}
