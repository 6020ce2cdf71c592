package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Fill;
import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;

/**
 * The rules by which transforms that move pixels compute new pixels. Images are interpolated. Masks hold class numbers,
 * so each new pixel is a copy of the nearest pixel, and masks have their own fill.
 *
 * @param interpolation the interpolation of images
 * @param fill the colour of pixels from outside of an image
 * @param maskFill the class number of pixels from outside of a mask
 */
record Paint(Interpolation interpolation, Fill fill, Fill maskFill) {
    static final Option<Fill> FILL = Option.of(
                    "fill",
                    OptionType.of("0 to 255, or [red, green, blue]", Paint::parse),
                    "The colour of pixels outside of the original image.")
            .orElse(Fill.BLACK);

    static final Option<Fill> MASK_FILL = Option.of(
                    "mask_fill",
                    OptionType.of("integer 0 to 255", Paint::parseClass),
                    "The class number of pixels outside of the original mask.")
            .orElse(Fill.BLACK);

    static Paint of(Interpolation interpolation, OptionValues options) {
        return new Paint(interpolation, options.get(FILL), options.get(MASK_FILL));
    }

    Interpolation interpolation(Field picture) {
        return picture.kind() == FieldKind.MASK ? Interpolation.NEAREST : interpolation;
    }

    /**
     * Returns the fill of a picture.
     *
     * @throws BadSampleException when the fill has three values and the picture has one channel
     */
    Fill fill(Sample sample, Field picture) throws BadSampleException {
        if (InstanceMasks.isOne(picture)) {
            return Fill.BLACK; // added pixels belong to no object
        }
        Fill own = picture.kind() == FieldKind.MASK ? maskFill : fill;
        if (!own.fits(picture.channels())) {
            throw ImageFields.badSample(
                    sample, "fill " + own + " has 3 values, but the image has 1 channel: " + picture);
        }
        return own;
    }

    private static Fill parse(Object raw) {
        List<?> values = raw instanceof List<?> list ? list : List.of(raw);
        boolean sound = (values.size() == 1 || values.size() == 3)
                && values.stream()
                        .allMatch(v -> v instanceof Number n && n.doubleValue() >= 0 && n.doubleValue() <= 255);
        if (!sound) {
            throw OptionType.expected("a number of 0 to 255, or a list [red, green, blue] of such numbers", raw);
        }
        // Fractions are truncated, as torchvision does before it calls Pillow.
        return Fill.of(values.stream().map(v -> ((Number) v).intValue()).toList());
    }

    private static Fill parseClass(Object raw) {
        if (raw instanceof Long number && number >= 0 && number <= 255) {
            return Fill.of(number.intValue());
        }
        throw OptionType.expected("a whole number of 0 to 255", raw);
    }
}
