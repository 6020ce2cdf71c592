package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.Crop;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** Cuts out a rectangle of fixed size at a uniform place of the padded image. */
final class RandomCrop implements Transform {
    private final Size.Exact size;
    private final Padding padding;
    private final boolean padIfNeeded;
    private final int fill;
    private String drawn = "";

    private RandomCrop(Size.Exact size, Padding padding, boolean padIfNeeded, int fill) {
        this.size = size;
        this.padding = padding;
        this.padIfNeeded = padIfNeeded;
        this.fill = fill;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = Images.pixels(sample, "RandomCrop");
        int beforeRows = padding.top() + missing(image.height() + padding.top() + padding.bottom(), size.height());
        int beforeColumns = padding.left() + missing(image.width() + padding.left() + padding.right(), size.width());
        int rows = image.height() + beforeRows + padding.bottom() + beforeRows - padding.top();
        int columns = image.width() + beforeColumns + padding.right() + beforeColumns - padding.left();
        if (rows < size.height() || columns < size.width()) {
            throw Images.malformed(
                    sample,
                    "RandomCrop expected an image of at least " + size.height() + "x" + size.width() + ", found "
                            + image.height() + "x" + image.width()
                            + (padding.equals(Padding.NONE) ? "" : " (" + rows + "x" + columns + " with its padding)")
                            + "; pad_if_needed: true would pad it");
        }
        Crop crop = new Crop(
                random.nextInt(rows - size.height() + 1) - beforeRows,
                random.nextInt(columns - size.width() + 1) - beforeColumns,
                size.height(),
                size.width());
        drawn = "crop " + crop;
        sample.put(Sample.IMAGE, PixelOps.crop(image, crop, fill));
    }

    /** What torchvision adds on either side of an axis that is too short: the whole difference, twice. */
    private int missing(int padded, int wanted) {
        return padIfNeeded ? Math.max(wanted - padded, 0) : 0;
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** {@code RandomCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE =
                Option.of("size", Size.OPTION, "The edge of a square in pixels, or [height, width].");

        private static final Option<Padding> PADDING = Option.of(
                        "padding",
                        Padding.OPTION,
                        "Pixels added around the image before: all sides, [x, y] or [left, top, right, bottom].")
                .orElse(Padding.NONE);

        private static final Option<Boolean> PAD_IF_NEEDED = Option.of(
                        "pad_if_needed",
                        OptionType.BOOLEAN,
                        "Whether smaller images are padded; otherwise they are quarantined.")
                .orElse(false);

        private static final Option<Integer> FILL = Option.of(
                        "fill",
                        OptionType.INTEGER.where(value -> value >= 0 && value <= 255, "0 to 255"),
                        "The value of added pixels in all channels.")
                .orElse(0);

        @Override
        public String name() {
            return "RandomCrop";
        }

        @Override
        public String help() {
            return "Cuts out a rectangle of fixed size at a random place.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE, PADDING, PAD_IF_NEEDED, FILL);
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomCrop(
                    options.get(SIZE).square(), options.get(PADDING), options.get(PAD_IF_NEEDED), options.get(FILL));
        }
    }
}
