package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Interpolation;
import io.millrace.image.PerspectiveMap;
import io.millrace.image.Point;
import io.millrace.image.Warp;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/**
 * A transform that shows images and masks from another perspective: as in torchvision, their corners move inwards at
 * random.
 */
final class RandomPerspective implements Transform {
    private final double distortion;
    private final double probability;
    private final Paint paint;
    private final ImageFields fields = new ImageFields("RandomPerspective");
    private final Warp warp = new Warp();
    private String drawn = "";

    private RandomPerspective(double distortion, double probability, Paint paint) {
        this.distortion = distortion;
        this.probability = probability;
        this.paint = paint;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        if (random.nextDouble() >= probability) {
            drawn = "as is";
            Annotations.move(sample, Movement.none(extent));
            return;
        }
        List<Point> corners = corners(random, extent.height(), extent.width(), distortion);
        Optional<PerspectiveMap> map =
                PerspectiveMap.between(PerspectiveMap.corners(extent.height(), extent.width()), corners);
        if (map.isEmpty()) {
            // Corners can lie on one line only in pictures that are a few pixels wide. Such a perspective would show
            // nothing.
            drawn = "as is, corners in one line";
            Annotations.move(sample, Movement.none(extent));
            return;
        }
        drawn = "corners";
        for (Point corner : corners) {
            drawn += " " + (int) corner.x() + "," + (int) corner.y();
        }
        fields.changeAll(
                sample,
                (picture, spare) -> warp.perspective(
                        picture, map.get(), paint.interpolation(picture), paint.fill(sample, picture), spare));
        Annotations.move(sample, Movement.perspective(map.get(), extent));
    }

    /**
     * Draws the new places of the corners as torchvision's {@code RandomPerspective.make_params} does: upper left
     * first, then clockwise.
     */
    static List<Point> corners(SampleRandom random, int height, int width, double distortion) {
        int halfHeight = height / 2;
        int halfWidth = width / 2;
        int rows = (int) (distortion * halfHeight) + 1;
        int columns = (int) (distortion * halfWidth) + 1;
        return List.of(
                new Point(random.nextInt(columns), random.nextInt(rows)),
                new Point(width - columns + random.nextInt(columns), random.nextInt(rows)),
                new Point(width - columns + random.nextInt(columns), height - rows + random.nextInt(rows)),
                new Point(random.nextInt(columns), height - rows + random.nextInt(rows)));
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code RandomPerspective}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Double> DISTORTION = Option.of(
                        "distortion_scale",
                        OptionType.NUMBER.where(value -> value >= 0 && value <= 1, "a number from 0 to 1"),
                        "The largest movement of the corners, as a share of the distance to the middle.")
                .orElse(0.5);

        private static final Option<Interpolation> INTERPOLATION = ResampleOptions.warp(Interpolation.BILINEAR);

        @Override
        public String name() {
            return "RandomPerspective";
        }

        @Override
        public String help() {
            return "Shows the image from another perspective, with probability p.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(DISTORTION, Probability.OPTION, INTERPOLATION, Paint.FILL, Paint.MASK_FILL);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomPerspective(
                    options.get(DISTORTION),
                    options.get(Probability.OPTION),
                    Paint.of(options.get(INTERPOLATION), options));
        }
    }
}
