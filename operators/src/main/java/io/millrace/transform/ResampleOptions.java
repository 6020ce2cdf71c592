package io.millrace.transform;

import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;
import java.util.Locale;

/** The options of transforms that interpolate between pixels. */
final class ResampleOptions {
    /** torchvision's name for Pillow's nearest filter. */
    private static final String NEAREST_EXACT = "nearest-exact";

    static final Option<Interpolation> INTERPOLATION = Option.of(
                    "interpolation",
                    type(List.of(Interpolation.values())),
                    "The interpolation between pixels, exactly as in Pillow.")
            .orElse(Interpolation.BILINEAR);

    static final Option<Boolean> ANTIALIAS = Option.of(
                    "antialias",
                    OptionType.BOOLEAN.where(value -> value, "true, the only supported value"),
                    "Whether filters widen when shrinking; always true.")
            .orElse(true);

    private static final OptionType<Interpolation> WARP =
            type(List.of(Interpolation.NEAREST, Interpolation.BILINEAR, Interpolation.BICUBIC));

    private ResampleOptions() {}

    /**
     * Returns the option of transforms that rotate and distort.
     *
     * @param fallback torchvision's default
     */
    static Option<Interpolation> warp(Interpolation fallback) {
        return Option.of(
                        "interpolation",
                        WARP,
                        "The interpolation between pixels, exactly as in Pillow; masks always use the nearest pixel.")
                .orElse(fallback);
    }

    private static OptionType<Interpolation> type(List<Interpolation> known) {
        String words =
                String.join(" | ", known.stream().map(ResampleOptions::word).toList()) + " | " + NEAREST_EXACT;
        return OptionType.of(words, raw -> {
            if (NEAREST_EXACT.equals(raw)) {
                return Interpolation.NEAREST;
            }
            return known.stream()
                    .filter(filter -> word(filter).equals(raw))
                    .findFirst()
                    .orElseThrow(() -> OptionType.expected("one of " + words, raw));
        });
    }

    private static String word(Interpolation filter) {
        return filter.name().toLowerCase(Locale.ROOT);
    }
}
