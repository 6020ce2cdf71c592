package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.PaddingMode;
import io.millrace.image.PixelPadding;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Locale;

/** A transform that adds pixels around images and masks. */
final class Pad implements Transform {
    private final Padding padding;
    private final PaddingMode mode;
    private final Paint paint;
    private final ImageFields fields = new ImageFields("Pad");

    private Pad(Padding padding, PaddingMode mode, Paint paint) {
        this.padding = padding;
        this.mode = mode;
        this.paint = paint;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = fields.extent(sample);
        int height = extent.height() + padding.top() + padding.bottom();
        int width = extent.width() + padding.left() + padding.right();
        if (Math.max(height, width) > Size.LARGEST) {
            throw ImageFields.badSample(
                    sample,
                    "Pad expected an image whose edges become at most " + Size.LARGEST + " pixels, found "
                            + extent.height() + "x" + extent.width() + ", which would become " + height + "x" + width);
        }
        if (mode != PaddingMode.CONSTANT && Annotations.in(sample)) {
            throw new IllegalStateException(
                    "Pad with padding_mode: " + mode.name().toLowerCase(Locale.ROOT)
                            + " shows objects again in the pixels that it adds, and those have no boxes or points: set padding_mode: constant");
        }
        Crop canvas = new Crop(-padding.top(), -padding.left(), height, width);
        fields.changeAll(
                sample,
                (picture, spare) -> PixelPadding.pad(picture, canvas, mode, paint.fill(sample, picture), spare));
        Annotations.move(sample, Movement.crop(extent, canvas));
    }

    /** The factory of {@code Pad}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Padding> PADDING = Option.of(
                "padding", Padding.OPTION, "Pixels added: on all sides, [x, y] or [left, top, right, bottom].");

        private static final Option<PaddingMode> MODE = Option.of(
                        "padding_mode",
                        OptionType.choice(PaddingMode.class),
                        "The fill, the outermost pixel, or the image mirrored without or with its outermost pixels.")
                .orElse(PaddingMode.CONSTANT);

        @Override
        public String name() {
            return "Pad";
        }

        @Override
        public String help() {
            return "Adds pixels around the image.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(PADDING, Paint.FILL, Paint.MASK_FILL, MODE);
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new Pad(options.get(PADDING), options.get(MODE), Paint.of(Interpolation.NEAREST, options));
        }
    }
}
