package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.PaddingMode;
import io.millrace.image.PixelPadding;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;

/**
 * A transform that brings images and masks of different sizes to one size by adding pixels around them. Larger pictures
 * are quarantined, because they would not fit into the batch. Crops and {@code Resize} make pictures smaller.
 */
final class PadTo implements Transform {
    private final Size.Exact size;
    private final Position position;
    private final Paint paint;
    private final ImageFields fields = new ImageFields("PadTo");
    private String drawn = "";

    private PadTo(Size.Exact size, Position position, Paint paint) {
        this.size = size;
        this.position = position;
        this.paint = paint;
    }

    /** The place of the picture in the result. */
    private enum Position {
        CENTER,
        TOP_LEFT,
        TOP_RIGHT,
        BOTTOM_LEFT,
        BOTTOM_RIGHT,
        RANDOM
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        int rows = size.height() - extent.height();
        int columns = size.width() - extent.width();
        if (rows < 0 || columns < 0) {
            throw ImageFields.badSample(
                    sample,
                    "PadTo expected an image of at most " + size.height() + "x" + size.width() + ", found "
                            + extent.height() + "x" + extent.width()
                            + "; Resize with max_size or a crop before it makes it fit");
        }
        int top = before(rows, position == Position.TOP_LEFT || position == Position.TOP_RIGHT, random);
        int left = before(columns, position == Position.TOP_LEFT || position == Position.BOTTOM_LEFT, random);
        drawn = position == Position.RANDOM ? "at " + top + "," + left : "";
        Crop canvas = new Crop(-top, -left, size.height(), size.width());
        fields.changeAll(
                sample,
                (picture, spare) ->
                        PixelPadding.pad(picture, canvas, PaddingMode.CONSTANT, paint.fill(sample, picture), spare));
        Annotations.move(sample, Movement.crop(extent, canvas));
    }

    /**
     * Returns the number of added pixels before the picture. In the centre position, an odd pixel is added after the
     * picture.
     */
    private int before(int added, boolean none, SampleRandom random) {
        return switch (position) {
            case CENTER -> added / 2;
            case RANDOM -> random.nextInt(added + 1);
            default -> none ? 0 : added;
        };
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** The factory of {@code PadTo}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE = Option.of(
                "size",
                Size.OPTION,
                "The edge of a square in pixels, or [height, width]; larger images are quarantined.");

        private static final Option<Position> POSITION = Option.of(
                        "position", OptionType.choice(Position.class), "The place of the image in the result.")
                .orElse(Position.CENTER);

        @Override
        public String name() {
            return "PadTo";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("PadTo", "PadIfNeeded");
        }

        @Override
        public String help() {
            return "Adds pixels around the image up to a size; larger images are quarantined.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE, Paint.FILL, Paint.MASK_FILL, POSITION);
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return OutputSize.FIXED;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new PadTo(
                    options.get(SIZE).square(), options.get(POSITION), Paint.of(Interpolation.NEAREST, options));
        }
    }
}
