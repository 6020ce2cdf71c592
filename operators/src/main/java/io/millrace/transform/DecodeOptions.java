package io.millrace.transform;

import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;

/** The options that all decoding transforms share. */
final class DecodeOptions {
    static final Option<Long> MAX_PIXELS = Option.of(
                    "max_pixels",
                    OptionType.LONG.where(
                            value -> value >= 1 && value <= DecodeLimits.MOST_PIXELS,
                            "1 to " + DecodeLimits.MOST_PIXELS),
                    "Images whose header says more pixels are quarantined without being decoded.")
            .orElse(DecodeLimits.DEFAULT.maxPixels());

    static final Option<Long> MAX_BYTES = Option.of(
                    "max_bytes",
                    OptionType.LONG.where(value -> value >= 1, "at least 1"),
                    "Longer encoded images are quarantined.")
            .orElse(DecodeLimits.DEFAULT.maxEncodedBytes());

    static final Option<ImageIntegrity> INTEGRITY = Option.of(
                    "integrity",
                    OptionType.choice(ImageIntegrity.class),
                    "How closely to look for damage: the structure alone, or a JPEG's entropy-coded data too (a third slower).")
            .orElse(ImageIntegrity.STRUCTURE);

    private DecodeOptions() {}

    /** The decoder that they ask for. */
    static ImageDecoder decoder(OptionValues options) {
        DecodeLimits limits = new DecodeLimits(options.get(MAX_PIXELS), options.get(MAX_BYTES));
        return new ImageDecoder(limits, options.get(INTEGRITY));
    }
}
