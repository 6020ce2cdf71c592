package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/** Small catalogs, so that messages in tests do not change when a format or a transform is added. */
final class ExampleCatalogs {
    private enum Split {
        TRAIN,
        TEST
    }

    private static final Option<String> PATH = Option.of("path", OptionType.TEXT, "The folder.");
    private static final Option<Split> SPLIT =
            Option.of("split", OptionType.choice(Split.class), "Which half.").orElse(Split.TRAIN);
    private static final Option<List<Integer>> SIZE =
            Option.of("size", OptionType.listOf(Types.atLeast(1)), "Height and width.");
    private static final Option<Integer> SHORTER = Option.of("size", Types.atLeast(1), "The shorter edge.");
    private static final Option<List<Double>> SCALE = Option.of(
                    "scale", OptionType.listOf(OptionType.NUMBER), "Share of the area.")
            .orElse(List.of(0.08, 1.0));
    private static final Option<Double> P =
            Option.of("p", OptionType.SHARE, "How often.").orElse(0.5);
    private static final Option<Object> NESTED = Option.of(
            "transforms",
            OptionType.choices("list of transforms", raw -> raw, (raw, change) -> raw),
            "What is applied.");
    private static final Option<Double> DIVISOR =
            Option.of("scale", OptionType.NUMBER, "The divisor.").orElse(255.0);
    private static final Option<Integer> COUNT =
            Option.of("count", Types.atLeast(1), "Images.").orElse(1000);
    private static final Option<List<Integer>> HIDDEN =
            Option.of("hidden", OptionType.listOf(Types.atLeast(1)), "Widths.").orElse(List.of(128, 64));
    private static final Option<Double> LEARNING_RATE =
            Option.of("learning_rate", OptionType.NUMBER, "The step's size.").orElse(0.001);
    private static final Option<Integer> EVERY = Option.of("every", Types.atLeast(1), "Epochs.");

    static final Catalogs CATALOGS = new Catalogs(
            List.of(
                    entry("folder", "Image files in class folders.", List.of(PATH)),
                    entry("idx", "The files of MNIST.", List.of(PATH, SPLIT))),
            List.of(entry("digits", "Digits.", List.of(COUNT)), entry("photos", "Photos.", List.of(COUNT))),
            List.of(
                    entry("decode", "Decodes.", List.of()),
                    entry("Resize", "Resizes.", List.of(SHORTER)),
                    new CatalogEntry("RandomResizedCrop", "Crops.", List.of(SIZE, SCALE), ExampleCatalogs::checkScale),
                    entry("RandomHorizontalFlip", "Mirrors.", List.of(P)),
                    entry("RandomApply", "Applies.", List.of(NESTED, P))),
            List.of(entry("ToFloat", "Divides.", List.of(DIVISOR))),
            List.of(entry("mlp", "Layers.", List.of(HIDDEN)), entry("none", "Feeds only.", List.of())),
            List.of(entry("cross_entropy", "For classes.", List.of())),
            List.of(entry("adam", "Adam.", List.of(LEARNING_RATE)), entry("sgd", "Descent.", List.of(LEARNING_RATE))),
            List.of(entry("constant", "Level.", List.of()), entry("step", "Falling.", List.of(EVERY))));

    private ExampleCatalogs() {}

    private static void checkScale(OptionValues values) {
        List<Double> scale = values.get(SCALE);
        if (scale.size() != 2 || scale.get(0) > scale.get(1)) {
            throw new IllegalArgumentException("scale: expected two numbers in rising order, found " + scale);
        }
    }

    /** Returns the entry of a component whose options are independent of each other. */
    private static CatalogEntry entry(String name, String help, List<Option<?>> options) {
        return new CatalogEntry(name, help, options, values -> {});
    }
}
