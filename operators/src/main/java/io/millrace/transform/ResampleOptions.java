package io.millrace.transform;

import io.millrace.image.Interpolation;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;
import java.util.Locale;

/** The options of transforms that make up pixels between pixels. */
final class ResampleOptions {
    /** What Pillow does for it, by way of torchvision, is nearest. */
    private static final String NEAREST_EXACT = "nearest-exact";

    static final Option<Interpolation> INTERPOLATION = Option.of(
                    "interpolation",
                    type(List.of(Interpolation.values())),
                    "How pixels between pixels are made up, exactly as Pillow does.")
            .orElse(Interpolation.BILINEAR);

    static final Option<Boolean> ANTIALIAS = Option.of(
                    "antialias",
                    OptionType.BOOLEAN.where(value -> value, "true, the only way there is"),
                    "Whether filters widen when shrinking; always true.")
            .orElse(true);

    private static final OptionType<Interpolation> WARP =
            type(List.of(Interpolation.NEAREST, Interpolation.BILINEAR, Interpolation.BICUBIC));

    private ResampleOptions() {}

    /** The option of transforms that turn and distort, with torchvision's default. */
    static Option<Interpolation> warp(Interpolation fallback) {
        return Option.of(
                        "interpolation",
                        WARP,
                        "How pixels between pixels are made up, exactly as Pillow does; masks always take the nearest.")
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
