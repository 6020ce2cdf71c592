package io.millrace.transform;

import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The options that all resizing transforms share. */
final class ResampleOptions {
    static final Option<Interpolation> INTERPOLATION = Option.of(
                    "interpolation",
                    OptionType.choice(Interpolation.class),
                    "How pixels between pixels are made up, exactly as Pillow does.")
            .orElse(Interpolation.BILINEAR);

    static final Option<Boolean> ANTIALIAS = Option.of(
                    "antialias",
                    OptionType.BOOLEAN.where(value -> value, "true, the only way there is"),
                    "Whether filters widen when shrinking; always true.")
            .orElse(true);

    private ResampleOptions() {}
}
