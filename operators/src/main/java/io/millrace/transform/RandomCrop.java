package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/**
 * A transform that cuts out a rectangle of fixed size at a uniformly drawn place of the padded image.
 *
 * <p>Tested by {@code CropTest}.
 */
final class RandomCrop implements Cropping {
    private final ImageFields pictures = new ImageFields("RandomCrop");
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
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = pictures.extent(sample);
        Padded padded = padded(extent.height(), extent.width());
        if (!padded.holds(size)) {
            throw ImageFields.badSample(
                    sample,
                    "RandomCrop expected an image of at least " + size.height() + "x" + size.width() + ", found "
                            + extent.height() + "x" + extent.width()
                            + (padding.equals(Padding.NONE)
                                    ? ""
                                    : " (" + padded.rows + "x" + padded.columns + " with its padding)")
                            + "; pad_if_needed: true would pad it");
        }
        Crop drawnCrop = draw(padded, random);
        drawn = "crop " + drawnCrop;
        pictures.changeCrop(
                sample,
                NeededPart.asIs(drawnCrop),
                (picture, crop, spare) ->
                        PixelOps.crop(picture, crop, picture.kind() == FieldKind.MASK ? 0 : fill, spare));
        Annotations.move(sample, Movement.crop(extent, drawnCrop));
    }

    @Override
    public Optional<NeededPart> neededPart(Sample sample, int height, int width, SampleRandom random) {
        Padded padded = padded(height, width);
        return padded.holds(size) ? Optional.of(NeededPart.asIs(draw(padded, random))) : Optional.empty();
    }

    /**
     * The size of a padded picture.
     *
     * @param rows the rows with the padding
     * @param columns the columns with the padding
     * @param beforeRows the rows of padding above the picture
     * @param beforeColumns the columns of padding on the left of the picture
     */
    private record Padded(int rows, int columns, int beforeRows, int beforeColumns) {
        boolean holds(Size.Exact size) {
            return rows >= size.height() && columns >= size.width();
        }
    }

    private Padded padded(int height, int width) {
        int beforeRows = padding.top() + missing(height + padding.top() + padding.bottom(), size.height());
        int beforeColumns = padding.left() + missing(width + padding.left() + padding.right(), size.width());
        int rows = height + beforeRows + padding.bottom() + beforeRows - padding.top();
        int columns = width + beforeColumns + padding.right() + beforeColumns - padding.left();
        return new Padded(rows, columns, beforeRows, beforeColumns);
    }

    private Crop draw(Padded padded, SampleRandom random) {
        return new Crop(
                random.nextInt(padded.rows - size.height() + 1) - padded.beforeRows,
                random.nextInt(padded.columns - size.width() + 1) - padded.beforeColumns,
                size.height(),
                size.width());
    }

    /**
     * Returns the number of pixels that are added on each side of an axis that is too short. Like torchvision, both
     * sides get the whole difference.
     */
    private int missing(int padded, int wanted) {
        return padIfNeeded ? Math.max(wanted - padded, 0) : 0;
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code RandomCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE =
                Option.of("size", Size.OPTION, "The edge of a square in pixels, or [height, width].");

        private static final Option<Padding> PADDING = Option.of(
                        "padding",
                        Padding.OPTION,
                        "The pixels that are added around the image before the crop: on all sides, [x, y] or [left,"
                                + " top, right, bottom].")
                .orElse(Padding.NONE);

        private static final Option<Boolean> PAD_IF_NEEDED = Option.of(
                        "pad_if_needed",
                        OptionType.BOOLEAN,
                        "Whether smaller images are padded; otherwise they are quarantined.")
                .orElse(false);

        private static final Option<Integer> FILL = Option.of(
                        "fill",
                        OptionType.integers(0, 255),
                        "The value of added pixels in all channels of images; masks get 0.")
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
        public OutputSize outputSize(OptionValues options) {
            return OutputSize.FIXED;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.CROP;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new RandomCrop(
                    options.get(SIZE).square(), options.get(PADDING), options.get(PAD_IF_NEEDED), options.get(FILL));
        }
    }
}
