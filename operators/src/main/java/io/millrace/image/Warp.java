package io.millrace.image;

import io.millrace.sample.Field;

/**
 * Rotations, shears and distortions of uint8 HWC images with 1 or 3 channels, whose pixels equal those of Pillow's
 * {@code Image.transform} and {@code Image.rotate}. Pixels outside of the picture have the fill value. Results between
 * two values are truncated, not rounded.
 *
 * <p>An object belongs to one thread, because it keeps scratch rows. The given pictures stay unchanged.
 */
public final class Warp {
    private double[] xs = {};
    private double[] ys = {};

    /**
     * Changes a picture by an affine map. The result has the size of the picture.
     *
     * @param picture the picture
     * @param map the map from {@link AffineParameters#about}
     * @param interpolation {@link Interpolation#NEAREST}, {@link Interpolation#BILINEAR} or
     *     {@link Interpolation#BICUBIC}
     * @param fill a fill with as many values as the picture has channels, or with one
     * @param spare an array that the result uses if its length is exactly right; it must not be the picture's own array
     * @return a new picture of the same size and channels
     */
    public Field affine(Field picture, AffineMap map, Interpolation interpolation, Fill fill, byte[] spare) {
        return affine(picture, map, picture.height(), picture.width(), interpolation, fill, spare);
    }

    /**
     * Distorts a picture. The result has the size of the picture. The other parameters are those of {@link #affine}.
     */
    public Field perspective(Field picture, PerspectiveMap map, Interpolation interpolation, Fill fill, byte[] spare) {
        return sample(picture, map, picture.height(), picture.width(), interpolation, fill, spare);
    }

    /** Rotates a picture. The other parameters are those of {@link #affine}. */
    public Field rotate(Field picture, Rotation rotation, Interpolation interpolation, Fill fill, byte[] spare) {
        int quarters = rotation.quarters(picture.height(), picture.width()).orElse(-1);
        if (quarters >= 0) {
            return PixelOps.turned(picture, quarters, spare);
        }
        Rotation.Plan plan = rotation.plan(picture.height(), picture.width());
        return affine(picture, plan.map(), plan.height(), plan.width(), interpolation, fill, spare);
    }

    private Field affine(
            Field picture, AffineMap map, int height, int width, Interpolation interpolation, Fill fill, byte[] spare) {
        if (interpolation == Interpolation.NEAREST) {
            byte[] pixels = result(picture, height, width, fill, spare);
            NearestAffine.sample(picture, map, fill, height, width, pixels);
            return Field.image(height, width, picture.channels(), pixels);
        }
        return sample(picture, map, height, width, interpolation, fill, spare);
    }

    private Field sample(
            Field picture, PixelMap map, int height, int width, Interpolation interpolation, Fill fill, byte[] spare) {
        byte[] pixels = result(picture, height, width, fill, spare);
        if (xs.length < width) {
            xs = new double[width];
            ys = new double[width];
        }
        int rowBytes = width * picture.channels();
        for (int row = 0; row < height; row++) {
            map.row(row, width, xs, ys);
            switch (interpolation) {
                case NEAREST -> RowSampling.nearest(picture, xs, ys, width, fill, pixels, row * rowBytes);
                case BILINEAR -> RowSampling.bilinear(picture, xs, ys, width, fill, pixels, row * rowBytes);
                case BICUBIC -> RowSampling.bicubic(picture, xs, ys, width, fill, pixels, row * rowBytes);
                default ->
                    throw new IllegalArgumentException(
                            "expected nearest, bilinear or bicubic for a warp, found " + interpolation);
            }
        }
        return Field.image(height, width, picture.channels(), pixels);
    }

    private static byte[] result(Field picture, int height, int width, Fill fill, byte[] spare) {
        if (!fill.fits(picture.channels())) {
            throw new IllegalArgumentException("fill " + fill + " does not fit " + picture);
        }
        int length = Math.multiplyExact(height, width * picture.channels());
        return spare.length == length && spare != picture.data() ? spare : new byte[length];
    }
}
