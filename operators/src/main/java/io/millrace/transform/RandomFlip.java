package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A transform that mirrors images and masks with a given probability, horizontally or vertically.
 */
public final class RandomFlip implements Transform {
    private final FlipDraw draw;
    private final Consumer<Field> mirror;
    private final Function<ImageFields.Extent, Movement> movement;
    private final ImageFields fields;
    private String drawn = "";

    private RandomFlip(
            String name, FlipDraw draw, Consumer<Field> mirror, Function<ImageFields.Extent, Movement> movement) {
        this.draw = draw;
        this.mirror = mirror;
        this.movement = movement;
        this.fields = new ImageFields(name);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        boolean flipped = draw.draw(random);
        drawn = flipped ? "flipped" : "as is";
        if (flipped) {
            fields.changeAll(sample, (picture, spare) -> {
                mirror.accept(picture);
                return picture;
            });
        }
        Annotations.move(sample, flipped ? movement.apply(extent) : Movement.none(extent));
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code RandomHorizontalFlip}. */
    public static final class Horizontal extends Factory {
        /** Creates the factory, for the service loader. */
        public Horizontal() {
            super(
                    "RandomHorizontalFlip",
                    "Swaps left and right with probability p.",
                    PixelOps::mirrorColumns,
                    Movement::mirrorColumns);
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(name(), "HorizontalFlip", "Flip", "hflip", "fliplr", "RandomFlip");
        }

        @Override
        public Optional<FlipDraw> columnFlip(OptionValues options) {
            return Optional.of(FlipDraw.of(options));
        }
    }

    /** The factory of {@code RandomVerticalFlip}. */
    public static final class Vertical extends Factory {
        /** Creates the factory, for the service loader. */
        public Vertical() {
            super(
                    "RandomVerticalFlip",
                    "Swaps top and bottom with probability p.",
                    PixelOps::mirrorRows,
                    Movement::mirrorRows);
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(name(), "VerticalFlip", "vflip", "flipud");
        }
    }

    private abstract static class Factory implements TransformFactory {
        private final String name;
        private final String help;
        private final Consumer<Field> mirror;
        private final Function<ImageFields.Extent, Movement> movement;

        Factory(String name, String help, Consumer<Field> mirror, Function<ImageFields.Extent, Movement> movement) {
            this.name = name;
            this.help = help;
            this.mirror = mirror;
            this.movement = movement;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String help() {
            return help;
        }

        @Override
        public List<Option<?>> options() {
            return FlipDraw.OPTIONS;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.NEIGHBOURHOOD;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomFlip(name, FlipDraw.of(options), mirror, movement);
        }
    }
}
