package io.millrace.image;

import io.millrace.sample.Field;

/**
 * Rotations, shears and distortions of uint8 HWC images with 1 or 3 channels, whose pixels equal those of Pillow's
 * {@code Image.transform} and {@code Image.rotate}. Pixels outside of the image have the fill value. Results between
 * two values are truncated, not rounded.
 *
 * <p>An object belongs to one thread, because it keeps scratch rows. The given images stay unchanged.
 */
public final class Warp {
    private double[] xs = {};
    private double[] ys = {};

    /**
     * Changes an image by an affine map. The result has the size of the image.
     *
     * @param image the image
     * @param map the map from {@link AffineParameters#about}
     * @param interpolation {@link Interpolation#NEAREST}, {@link Interpolation#BILINEAR} or
     *     {@link Interpolation#BICUBIC}
     * @param fill a fill with as many values as the image has channels, or with one
     * @param spare an array that the result uses if its length is exactly right; it must not be the image's own array
     * @return a new image of the same size and channels
     */
    public Field affine(Field image, AffineMap map, Interpolation interpolation, Fill fill, byte[] spare) {
        return affine(image, map, image.height(), image.width(), interpolation, fill, spare);
    }

    /**
     * Distorts an image. The result has the size of the image. The other parameters are those of {@link #affine}.
     */
    public Field perspective(Field image, PerspectiveMap map, Interpolation interpolation, Fill fill, byte[] spare) {
        return sample(image, map, image.height(), image.width(), interpolation, fill, spare);
    }

    /** Rotates an image. The other parameters are those of {@link #affine}. */
    public Field rotate(Field image, Rotation rotation, Interpolation interpolation, Fill fill, byte[] spare) {
        int quarters = rotation.quarters(image.height(), image.width()).orElse(-1);
        if (quarters >= 0) {
            return PixelOps.turned(image, quarters, spare);
        }
        Rotation.Plan plan = rotation.plan(image.height(), image.width());
        return affine(image, plan.map(), plan.height(), plan.width(), interpolation, fill, spare);
    }

    private Field affine(
            Field image, AffineMap map, int height, int width, Interpolation interpolation, Fill fill, byte[] spare) {
        if (interpolation == Interpolation.NEAREST) {
            byte[] pixels = result(image, height, width, fill, spare);
            NearestAffine.sample(image, map, fill, height, width, pixels);
            return Field.image(height, width, image.channels(), pixels);
        }
        return sample(image, map, height, width, interpolation, fill, spare);
    }

    private Field sample(
            Field image, PixelMap map, int height, int width, Interpolation interpolation, Fill fill, byte[] spare) {
        byte[] pixels = result(image, height, width, fill, spare);
        if (xs.length < width) {
            xs = new double[width];
            ys = new double[width];
        }
        int rowBytes = width * image.channels();
        for (int row = 0; row < height; row++) {
            map.row(row, width, xs, ys);
            switch (interpolation) {
                case NEAREST -> RowSampling.nearest(image, xs, ys, width, fill, pixels, row * rowBytes);
                case BILINEAR -> RowSampling.bilinear(image, xs, ys, width, fill, pixels, row * rowBytes);
                case BICUBIC -> RowSampling.bicubic(image, xs, ys, width, fill, pixels, row * rowBytes);
                default ->
                    throw new IllegalArgumentException(
                            "expected nearest, bilinear or bicubic for a warp, found " + interpolation);
            }
        }
        return Field.image(height, width, image.channels(), pixels);
    }

    private static byte[] result(Field image, int height, int width, Fill fill, byte[] spare) {
        if (!fill.fits(image.channels())) {
            throw new IllegalArgumentException("fill " + fill + " does not fit " + image);
        }
        int length = Math.multiplyExact(height, width * image.channels());
        return spare.length == length && spare != image.data() ? spare : new byte[length];
    }
}
