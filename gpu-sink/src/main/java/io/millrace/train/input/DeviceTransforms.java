package io.millrace.train.input;

import io.millrace.image.FloatStep;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.NamedMaker;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.FloatTransformFactory;
import io.millrace.transform.TransformFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
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

    /** Code that makes a transform, by the kind of the transform. */
    sealed interface Maker permits PictureMaker, FloatMaker, EncodingMaker, MixMaker {}

    /** A factory of changes of pictures' bytes. */
    record PictureMaker(PictureTransformFactory factory) implements Maker {}

    /** A factory of the data servers whose transforms are steps of the arithmetic of each row's floats. */
    record FloatMaker(FloatTransformFactory factory) implements Maker {}

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

    /** Returns the transforms of floats: those of the data servers, also in users' jars. Their field is an input of the model. */
    private static Stream<NamedMaker<Maker>> floats() {
        return Services.of(TransformFactory.class).stream()
                .filter(known -> FloatTransformFactory.class.isAssignableFrom(known.type()))
                .map(known -> {
                    FloatTransformFactory factory = (FloatTransformFactory) known.get();
                    List<Option<?>> options = new ArrayList<>(factory.numbers());
                    options.add(FIELD);
                    return new NamedMaker<>(factory.name(), factory.help(), options, new FloatMaker(factory));
                });
    }

    private static Stream<NamedMaker<Maker>> pictures() {
        return Services.of(PictureTransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .map(factory -> new NamedMaker<>(
                        factory.onServers().name(),
                        factory.onServers().help() + (factory.random() ? " In training only." : ""),
                        factory.onServers().options(),
                        new PictureMaker(factory)));
    }

    private static List<NamedMaker<Maker>> known() {
        return Stream.of(pictures(), floats(), OWN.stream())
                .flatMap(each -> each)
                .toList();
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
        return maker instanceof FloatMaker
                ? Optional.of(part.options().find(FIELD).orElse(roles.inputs().get(0)))
                : Optional.empty();
    }

    /** Returns every device transform, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(known());
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

    /** Returns the values that a transform of batches changes; empty when there is no such transform. */
    public static Optional<Changes> changes(String name) {
        return known().stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .map(known -> changes(known.maker()));
    }

    /** Returns the values that a transform of samples would change on the device; empty when it cannot run there. */
    public static Optional<Changes> changes(TransformFactory factory) {
        return known().stream()
                .filter(known -> onServers(known.maker())
                        .filter(twin -> twin.getClass() == factory.getClass())
                        .isPresent())
                .findFirst()
                .map(known -> changes(known.maker()));
    }

    /** Returns the factory of the same transform on the data servers; empty for a transform of batches only. */
    private static Optional<TransformFactory> onServers(Maker maker) {
        if (maker instanceof PictureMaker pictures) {
            return Optional.of(pictures.factory.onServers());
        }
        return maker instanceof FloatMaker floats ? Optional.of(floats.factory) : Optional.empty();
    }

    private static Changes changes(Maker maker) {
        if (maker instanceof PictureMaker pictures) {
            return pictures.factory.random() ? Changes.PICTURES_AT_RANDOM : Changes.PICTURES;
        } else if (maker instanceof FloatMaker) {
            return Changes.FLOATS;
        }
        return maker instanceof EncodingMaker ? Changes.CLASSES : Changes.BATCHES;
    }

    /**
     * Checks values that are valid one by one against each other.
     *
     * @throws IllegalArgumentException when they contradict each other
     */
    public static void check(Component part) {
        Maker maker = maker(part);
        if (maker instanceof PictureMaker pictures) {
            pictures.factory.onServers().check(part.options());
        } else if (maker instanceof FloatMaker floats) {
            floats.factory.step(part.options());
        } else if (maker instanceof EncodingMaker encoding) {
            encoding.make(part.options());
        } else if (maker instanceof MixMaker mix) {
            mix.make(part.options());
        }
    }

    /**
     * Returns the maker of a transform.
     *
     * @throws TrainSpecException when there is no transform with that name
     */
    static Maker maker(Component part) {
        return part.in(known(), "device transform").maker();
    }

    /**
     * Returns the arithmetic of rows of a shape.
     *
     * @throws TrainSpecException when a transform is unknown, or does not fit the shape
     */
    static List<FloatStep> floatSteps(List<Component> parts, List<Integer> shape) {
        List<FloatStep> steps = new ArrayList<>();
        for (Component part : parts) {
            if (maker(part) instanceof FloatMaker floats) {
                FloatStep step = floats.factory.step(part.options());
                step.obstacle(shape.isEmpty() ? 1 : shape.get(shape.size() - 1)).ifPresent(obstacle -> {
                    throw new TrainSpecException(part.name() + ": " + obstacle);
                });
                steps.add(step);
            }
        }
        return steps;
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
}
