package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Interpolation;
import io.millrace.image.Point;
import io.millrace.image.Rotation;
import io.millrace.image.Warp;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A transform that rotates images and masks by a random angle, as torchvision does. */
final class RandomRotation implements Transform {
    private final Degrees degrees;
    private final Optional<Point> center;
    private final Rotation.Canvas canvas;
    private final Paint paint;
    private final ImageFields fields = new ImageFields("RandomRotation");
    private final Warp warp = new Warp();
    private double latest;

    private RandomRotation(Degrees degrees, Optional<Point> center, Rotation.Canvas canvas, Paint paint) {
        this.degrees = degrees;
        this.center = center;
        this.canvas = canvas;
        this.paint = paint;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        latest = degrees.draw(random);
        Rotation rotation = new Rotation(latest, center, canvas);
        fields.changeAll(
                sample,
                (picture, spare) -> warp.rotate(
                        picture, rotation, paint.interpolation(picture), paint.fill(sample, picture), spare));
        if (Annotations.in(sample)) {
            Point pivot = center.orElse(Point.center(extent.height(), extent.width()));
            boolean expanded = canvas == Rotation.Canvas.EXPANDED;
            Annotations.move(sample, Movement.rotation(latest, pivot, expanded, extent, fields.extent(sample)));
        }
    }

    @Override
    public String drawn() {
        return String.format(Locale.ROOT, "turned %.1f degrees", latest);
    }

    /** The factory of {@code RandomRotation}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Degrees> DEGREES = Option.of(
                "degrees",
                Degrees.OPTION,
                "The angle, counter-clockwise: a number for [-number, number], or both ends.");

        private static final Option<Interpolation> INTERPOLATION = ResampleOptions.warp(Interpolation.NEAREST);

        private static final Option<Boolean> EXPAND = Option.of(
                        "expand",
                        OptionType.BOOLEAN,
                        "Whether the result is large enough for the whole rotated image; meant for rotations around the middle.")
                .orElse(false);

        @Override
        public String name() {
            return "RandomRotation";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("RandomRotation", "Rotate");
        }

        @Override
        public String help() {
            return "Rotates by a random angle.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(DEGREES, INTERPOLATION, EXPAND, Centers.OPTION, Paint.FILL, Paint.MASK_FILL);
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return options.get(EXPAND) ? OutputSize.VARYING : OutputSize.SAME;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomRotation(
                    options.get(DEGREES),
                    options.find(Centers.OPTION),
                    options.get(EXPAND) ? Rotation.Canvas.EXPANDED : Rotation.Canvas.SAME,
                    Paint.of(options.get(INTERPOLATION), options));
        }
    }
}
