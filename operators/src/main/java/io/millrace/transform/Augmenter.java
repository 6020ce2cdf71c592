package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.AffineMap;
import io.millrace.image.AffineParameters;
import io.millrace.image.ColorOps;
import io.millrace.image.LevelOps;
import io.millrace.image.Point;
import io.millrace.image.PointOps;
import io.millrace.image.Rotation;
import io.millrace.image.SharpnessOps;
import io.millrace.image.Warp;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Applies operations of the automatic augmentations to a sample, one after the other, and records them. Operations that
 * move pixels change masks and images alike. Serves one thread.
 */
final class Augmenter {
    private static final int MAX_VALUE = 255;

    private final String transform;
    private final Paint paint;
    private final ColorOps color = new ColorOps();
    private final LevelOps levels = new LevelOps();
    private final SharpnessOps sharpening = new SharpnessOps();
    private final Warp warp = new Warp();

    /**
     * One instance per operation of a sample, because the result of one operation is the input of the next one and must
     * not share its array.
     */
    private final List<ImageFields> fields = new ArrayList<>();

    /** The operations that were applied to the current sample. Only {@link #drawn} converts them to text. */
    private final List<Augmentation> applied = new ArrayList<>();

    private ImageFields.Extent size = new ImageFields.Extent(1, 1);
    private double[] magnitudes = new double[2];

    /** Creates an augmenter for a transform. Messages contain the transform's name. */
    Augmenter(String transform, Paint paint) {
        this.transform = transform;
        this.paint = paint;
        fields.add(new ImageFields(transform));
    }

    /**
     * Begins a sample.
     *
     * @return the size of the sample's pictures
     */
    ImageFields.Extent begin(Sample sample) throws BadSampleException {
        applied.clear();
        size = fields.get(0).extent(sample);
        Annotations.move(sample, Movement.none(size));
        return size;
    }

    /** Returns the magnitude, negated with probability 0.5 if the operation has a sign. */
    static double sign(Augmentation operation, double magnitude, SampleRandom random) {
        return operation.signed() && random.nextDouble() <= 0.5 ? -magnitude : magnitude;
    }

    /** Applies an operation to the current sample. */
    void apply(Sample sample, Augmentation operation, double magnitude) throws BadSampleException {
        int number = applied.size();
        if (number == fields.size()) {
            fields.add(new ImageFields(transform));
        }
        if (number == magnitudes.length) {
            magnitudes = Arrays.copyOf(magnitudes, 2 * number);
        }
        applied.add(operation);
        magnitudes[number] = magnitude;
        ImageFields slot = fields.get(number);
        if (operation.movesPixels()) {
            slot.changeAll(sample, (picture, spare) -> moved(sample, picture, operation, magnitude, spare));
            Annotations.move(
                    sample,
                    operation == Augmentation.ROTATE
                            ? Movement.rotation(magnitude, middle(), false, size, size)
                            : Movement.affine(map(operation, magnitude), size));
        } else {
            slot.changeImages(sample, (picture, spare) -> {
                recolor(picture, operation, magnitude);
                return picture;
            });
        }
    }

    /** Describes the operations that were applied to the current sample. */
    String drawn() {
        StringBuilder drawn = new StringBuilder();
        for (int i = 0; i < applied.size(); i++) {
            drawn.append(i == 0 ? "" : ", ").append(applied.get(i));
            if (applied.get(i).hasMagnitude()) {
                drawn.append(String.format(Locale.ROOT, " %.3f", magnitudes[i]));
            }
        }
        return drawn.isEmpty() ? "as is" : drawn.toString();
    }

    private Field moved(Sample sample, Field picture, Augmentation operation, double magnitude, byte[] spare)
            throws BadSampleException {
        if (operation == Augmentation.ROTATE) {
            return warp.rotate(
                    picture, Rotation.by(magnitude), paint.interpolation(picture), paint.fill(sample, picture), spare);
        }
        return warp.affine(
                picture, map(operation, magnitude), paint.interpolation(picture), paint.fill(sample, picture), spare);
    }

    private Point middle() {
        return Point.center(size.height(), size.width());
    }

    /** Returns the map of an operation other than a rotation, from the result to the picture. */
    private AffineMap map(Augmentation operation, double magnitude) {
        Point corner = new Point(0, 0);
        double degrees = Math.toDegrees(Math.atan(magnitude));
        return switch (operation) {
            case SHEAR_X -> AffineParameters.shear(degrees, 0).about(corner);
            case SHEAR_Y -> AffineParameters.shear(0, degrees).about(corner);
            case TRANSLATE_X -> AffineParameters.translation((int) magnitude, 0).about(middle());
            case TRANSLATE_Y -> AffineParameters.translation(0, (int) magnitude).about(middle());
            default -> throw new IllegalArgumentException(operation + " moves no pixels");
        };
    }

    private void recolor(Field image, Augmentation operation, double magnitude) {
        switch (operation) {
            case IDENTITY -> {}
            case BRIGHTNESS -> color.brightness(image, 1 + magnitude);
            case COLOR -> color.saturation(image, 1 + magnitude);
            case CONTRAST -> color.contrast(image, 1 + magnitude);
            case SHARPNESS -> sharpening.sharpness(image, 1 + magnitude);
            case POSTERIZE -> PointOps.posterize(image, (int) magnitude);
            case SOLARIZE -> PointOps.solarize(image, MAX_VALUE * magnitude);
            case AUTO_CONTRAST -> levels.autocontrast(image);
            case EQUALIZE -> levels.equalize(image);
            case INVERT -> PointOps.invert(image);
            default -> throw new IllegalArgumentException(operation + " moves pixels");
        }
    }
}
