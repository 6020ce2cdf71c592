package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.AffineMap;
import io.millrace.image.AffineParameters;
import io.millrace.image.Interpolation;
import io.millrace.image.Point;
import io.millrace.image.Warp;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/** A transform that rotates, moves, scales and shears images and masks at random, as torchvision does. */
final class RandomAffine implements Transform {
    private final Draw draw;
    private final Optional<Point> center;
    private final Paint paint;
    private final ImageFields fields = new ImageFields("RandomAffine");
    private final Warp warp = new Warp();
    private AffineParameters latest = AffineParameters.translation(0, 0);

    private RandomAffine(Draw draw, Optional<Point> center, Paint paint) {
        this.draw = draw;
        this.center = center;
        this.paint = paint;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        latest = draw.parameters(random, extent.height(), extent.width());
        AffineMap map = latest.about(center.orElse(Point.center(extent.height(), extent.width())));
        fields.changeAll(
                sample,
                (picture, spare) ->
                        warp.affine(picture, map, paint.interpolation(picture), paint.fill(sample, picture), spare));
        Annotations.move(sample, Movement.affine(map, extent));
    }

    @Override
    public String drawn() {
        return latest.toString();
    }

    /**
     * The ranges from which the parameters are drawn.
     *
     * @param degrees the angles
     * @param translate the largest movement, as shares of the width and of the height
     * @param scale the factors of the size
     * @param shear the shear angles
     */
    record Draw(Degrees degrees, Optional<Shares> translate, Optional<DrawnRange> scale, Optional<Shear> shear) {
        /** Draws the parameters in the order of torchvision's {@code RandomAffine.make_params}. */
        AffineParameters parameters(SampleRandom random, int height, int width) {
            double angle = degrees.draw(random);
            int x = 0;
            int y = 0;
            if (translate.isPresent()) {
                x = drawMovement(random, translate.get().x() * width);
                y = drawMovement(random, translate.get().y() * height);
            }
            double factor = scale.isPresent()
                    ? random.nextDouble(scale.get().from(), scale.get().to())
                    : 1;
            double shearX = 0;
            double shearY = 0;
            if (shear.isPresent()) {
                shearX = shear.get().x().draw(random);
                shearY = shear.get().y().draw(random);
            }
            return new AffineParameters(angle, x, y, factor, shearX, shearY);
        }

        /** Draws a movement in pixels. Halves are rounded to even, as Python's {@code round} does. */
        private static int drawMovement(SampleRandom random, double most) {
            return (int) Math.rint(random.nextDouble(-most, most));
        }
    }

    /** Shares of the width and of the height, each 0 to 1. */
    record Shares(double x, double y) {
        static final OptionType<Shares> OPTION = OptionType.of("[x, y]", raw -> {
            if (raw instanceof List<?> list
                    && list.size() == 2
                    && list.get(0) instanceof Number x
                    && list.get(1) instanceof Number y
                    && share(x)
                    && share(y)) {
                return new Shares(x.doubleValue(), y.doubleValue());
            }
            throw OptionType.expected("[x, y], two numbers from 0 to 1", raw);
        });

        private static boolean share(Number number) {
            return number.doubleValue() >= 0 && number.doubleValue() <= 1;
        }
    }

    /** The ranges of the shear angles along rows and along columns. */
    record Shear(Degrees x, Degrees y) {
        static final OptionType<Shear> OPTION =
                OptionType.of("number, [least, most], or [least x, most x, least y, most y]", raw -> {
                    if (raw instanceof List<?> list && list.size() == 4) {
                        return new Shear(
                                Degrees.between(list.get(0), list.get(1), raw),
                                Degrees.between(list.get(2), list.get(3), raw));
                    }
                    return new Shear(Degrees.OPTION.parse(raw), Degrees.ZERO);
                });
    }

    /** The factory of {@code RandomAffine}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Degrees> DEGREES = Option.of(
                "degrees", Degrees.OPTION, "The angle, clockwise: a number for [-number, number], or both ends.");

        private static final Option<Shares> TRANSLATE = Option.of(
                        "translate",
                        Shares.OPTION,
                        "The largest movement, as shares of the width and height. Default: none.")
                .optional();

        private static final Option<DrawnRange> SCALE = Option.of(
                        "scale", DrawnRange.OPTION, "The range [least, most] of the factor of the size. Default: 1.")
                .optional();

        private static final Option<Shear> SHEAR = Option.of(
                        "shear",
                        Shear.OPTION,
                        "The range of the shear angle in degrees along rows, and with four numbers also along columns."
                                + " Default: none.")
                .optional();

        private static final Option<Interpolation> INTERPOLATION = ResampleOptions.warp(Interpolation.NEAREST);

        @Override
        public String name() {
            return "RandomAffine";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("RandomAffine", "ShiftScaleRotate", "Affine");
        }

        @Override
        public String help() {
            return "Rotates, moves, scales and shears at random.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(
                    DEGREES, TRANSLATE, SCALE, SHEAR, INTERPOLATION, Paint.FILL, Paint.MASK_FILL, Centers.OPTION);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            Draw draw =
                    new Draw(options.get(DEGREES), options.find(TRANSLATE), options.find(SCALE), options.find(SHEAR));
            return new RandomAffine(draw, options.find(Centers.OPTION), Paint.of(options.get(INTERPOLATION), options));
        }
    }
}
