package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.NamedMaker;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.FloatRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The transforms that a pipeline file can run on the device. They change the bytes of pictures, or the floats into
 * which pictures and other numbers are converted (0 to 255 unless they are scaled). Stateless.
 */
public final class DeviceTransforms {
    private static final OptionType<Double> POSITIVE = OptionType.NUMBER.where(n -> n > 0, "above 0");

    static final Option<String> FIELD = Option.of(
                    "field",
                    OptionType.TEXT,
                    "The input of the model that the transform changes. Default: the first of train.input.")
            .optional();
    static final Option<String> ENCODED_FIELD = Option.of(
                    "field", OptionType.TEXT, "The field whose class numbers are converted. Default: train.target.")
            .optional();

    private static final Option<Integer> CLASSES = Option.of(
            "classes",
            OptionType.INTEGER.where(n -> n >= 1, "at least 1"),
            "The number of classes; class numbers begin at 0.");
    private static final Option<Double> ALPHA = Option.of(
                    "alpha",
                    POSITIVE,
                    "The parameter of the distribution Beta(alpha, alpha), from which the share of each row is drawn for each batch.")
            .orElse(1.0);
    private static final Option<List<Component>> CHOICES = Option.of(
            "transforms",
            OptionType.of("list of MixUp and CutMix", DeviceTransforms::mixParts),
            "The transforms, one of which is chosen for each batch.");
    private static final Option<List<Double>> SHARES = Option.of(
                    "p",
                    OptionType.listOf(OptionType.NUMBER.where(n -> n >= 0, "0 or more")),
                    "The weight of each transform, in any unit. Default: equal weights.")
            .optional();

    private static final List<NamedMaker<Maker>> OWN = List.of(
            rows(
                    "ToFloat",
                    "Divides every value: 0..255 becomes 0..1.",
                    List.of(FloatRules.SCALE, FIELD),
                    (options, shape) ->
                            new FloatChange.Scale(options.get(FloatRules.SCALE).floatValue())),
            rows(
                    "Normalize",
                    "Subtracts a mean and divides by a deviation, per channel, as torchvision's Normalize.",
                    List.of(FloatRules.MEAN, FloatRules.STD, FIELD),
                    DeviceTransforms::normalize),
            rows(
                    "ConvertColor",
                    "Converts RGB to YCbCr. Use it before transforms that scale values, because it adds 128 to two channels.",
                    List.of(FIELD),
                    DeviceTransforms::convertColor),
            encoding(
                    "OneHot",
                    "Converts each class number to a vector of zeros with a single 1: labels become [rows, classes],"
                            + " masks become [rows, classes, height, width].",
                    List.of(ENCODED_FIELD, CLASSES),
                    options -> new Encoding(Encoding.Kind.ONE_HOT, options.get(CLASSES))),
            encoding(
                    "MultiHot",
                    "Converts the class numbers of a ragged field to [rows, classes], with a one for each class number of the row and zeros elsewhere.",
                    List.of(ENCODED_FIELD, CLASSES),
                    options -> new Encoding(Encoding.Kind.MULTI_HOT, options.get(CLASSES))),
            mix(
                    "MixUp",
                    "In training, mixes each row with the row before it, both inputs and labels, as torchvision's MixUp does.",
                    List.of(ALPHA),
                    options -> new Mix.MixUp(options.get(ALPHA))),
            mix(
                    "CutMix",
                    "In training, pastes a box of the previous image into each image and mixes the labels by the area"
                            + " of the box, as torchvision's CutMix does.",
                    List.of(ALPHA),
                    options -> new Mix.CutMix(options.get(ALPHA))),
            mix(
                    "RandomChoice",
                    "Applies MixUp or CutMix, chosen at random for each batch.",
                    List.of(CHOICES, SHARES),
                    DeviceTransforms::oneOf));

    private static final List<NamedMaker<Maker>> ALL =
            Stream.concat(PictureTransforms.ALL.stream(), OWN.stream()).toList();

    /** Code that makes a transform, by the kind of the transform. */
    sealed interface Maker permits PictureTransforms.Kind, RowMaker, EncodingMaker, MixMaker {}

    /** Code that makes a transform of each row's values. */
    @FunctionalInterface
    non-sealed interface RowMaker extends Maker {
        FloatChange make(OptionValues options, List<Integer> shape);
    }

    /** Code that makes an encoding of class numbers. */
    @FunctionalInterface
    non-sealed interface EncodingMaker extends Maker {
        Encoding make(OptionValues options);
    }

    /** Code that makes a mixing of rows. */
    @FunctionalInterface
    non-sealed interface MixMaker extends Maker {
        Mix make(OptionValues options);
    }

    private DeviceTransforms() {}

    private static NamedMaker<Maker> rows(String name, String help, List<Option<?>> options, RowMaker maker) {
        return new NamedMaker<>(name, help, options, maker);
    }

    private static NamedMaker<Maker> encoding(String name, String help, List<Option<?>> options, EncodingMaker maker) {
        return new NamedMaker<>(name, help, options, maker);
    }

    private static NamedMaker<Maker> mix(String name, String help, List<Option<?>> options, MixMaker maker) {
        return new NamedMaker<>(name, help, options, maker);
    }

    /** Returns the field that a transform changes; empty for a transform of whole rows, or of all pictures. */
    public static Optional<String> field(Component part, Roles roles) {
        Maker maker = maker(part);
        if (maker instanceof EncodingMaker) {
            return Optional.of(part.options().find(ENCODED_FIELD).orElse(roles.target()));
        }
        return maker instanceof RowMaker
                ? Optional.of(part.options().find(FIELD).orElse(roles.inputs().get(0)))
                : Optional.empty();
    }

    /** Returns every device transform, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /** The values that a transform changes. */
    public enum Changes {
        /** The bytes of pictures, with random numbers for each sample. */
        PICTURES_AT_RANDOM,
        /** The bytes of pictures. */
        PICTURES,
        /** Numbers, which it converts to floats. */
        FLOATS,
        /** Class numbers, which it encodes. */
        CLASSES,
        /** Whole batches, whose rows it mixes. */
        BATCHES
    }

    /** Returns the values that the transform with a name changes; empty when there is no such transform. */
    public static Optional<Changes> changes(String name) {
        return ALL.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .map(known -> changes(known.maker()));
    }

    private static Changes changes(Maker maker) {
        if (maker instanceof PictureTransforms.Kind kind) {
            return kind.random() ? Changes.PICTURES_AT_RANDOM : Changes.PICTURES;
        } else if (maker instanceof RowMaker) {
            return Changes.FLOATS;
        }
        return maker instanceof EncodingMaker ? Changes.CLASSES : Changes.BATCHES;
    }

    /**
     * Returns the maker of a transform.
     *
     * @throws TrainSpecException when there is no transform with that name
     */
    static Maker maker(Component part) {
        return part.in(ALL, "device transform").maker();
    }

    /**
     * Returns the changes of a column's rows.
     *
     * @throws TrainSpecException when a transform is unknown, or does not fit the column's shape
     */
    static List<FloatChange> floatChanges(List<Component> parts, BatchSpec.Column column) {
        return floatChanges(parts, column.shape());
    }

    /** Returns the changes of rows of a shape. */
    static List<FloatChange> floatChanges(List<Component> parts, List<Integer> shape) {
        List<FloatChange> made = new ArrayList<>();
        for (Component part : parts) {
            if (maker(part) instanceof RowMaker rows) {
                made.add(rows.make(part.options(), shape));
            }
        }
        return made;
    }

    /** Reads a list of choices. Each choice is a name, or {@code {name: {options}}}. */
    private static List<Component> mixParts(Object raw) {
        if (!(raw instanceof List<?> list) || list.isEmpty()) {
            throw OptionType.expected("a list of MixUp and CutMix", raw);
        }
        return list.stream().map(DeviceTransforms::mixPart).toList();
    }

    private static Component mixPart(Object raw) {
        Map<?, ?> named = raw instanceof Map<?, ?> map ? map : Map.of(raw, Map.of());
        Object name = named.size() == 1 ? named.keySet().iterator().next() : raw;
        for (NamedMaker<Maker> known : OWN) {
            if (known.name().equals(name)
                    && known.maker() instanceof MixMaker
                    && !known.options().contains(CHOICES)) {
                return new Component(known.name(), OptionValues.of(known.options(), options(named.get(name))));
            }
        }
        throw OptionType.expected("MixUp or CutMix, as name or {name: {alpha: number}}", raw);
    }

    private static Map<String, Object> options(@Nullable Object raw) {
        if (!(raw instanceof Map<?, ?> map)) {
            throw OptionType.expected("options as {key: value}", String.valueOf(raw));
        }
        Map<String, Object> options = new TreeMap<>();
        map.forEach((key, value) -> options.put(String.valueOf(key), value));
        return options;
    }

    private static Mix oneOf(OptionValues options) {
        List<Mix> mixes = new ArrayList<>();
        for (Component part : options.get(CHOICES)) {
            if (maker(part) instanceof MixMaker maker) {
                mixes.add(maker.make(part.options()));
            }
        }
        List<Double> weights = options.find(SHARES).orElse(Collections.nCopies(mixes.size(), 1.0));
        double sum = weights.stream().mapToDouble(w -> w).sum();
        if (weights.size() != mixes.size() || sum <= 0) {
            throw new TrainSpecException("RandomChoice: 'p' is " + weights + ", expected " + mixes.size()
                    + " numbers, one for each transform, and one of them above 0");
        }
        return new Mix.OneOf(mixes, weights.stream().map(w -> w / sum).toList());
    }

    private static FloatChange normalize(OptionValues options, List<Integer> shape) {
        int channels = shape.get(shape.size() - 1);
        int period = shape.size() < 2 ? channels : channels * shape.get(shape.size() - 2);
        try {
            return new FloatChange.Standardize(
                    FloatRules.perChannel("mean", options.get(FloatRules.MEAN), channels),
                    FloatRules.perChannel("std", options.get(FloatRules.STD), channels),
                    period);
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(String.valueOf(e.getMessage()), e);
        }
    }

    private static FloatChange convertColor(OptionValues options, List<Integer> shape) {
        if (shape.size() != 3 || shape.get(2) != 3) {
            throw new TrainSpecException(
                    "ConvertColor needs images of [height, width, 3], found rows of shape " + shape);
        }
        return new FloatChange.Color(FloatRules.COLOR_ROWS, FloatRules.COLOR_OFFSET);
    }
}
