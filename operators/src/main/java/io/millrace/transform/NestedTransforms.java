package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The transforms that another transform applies, from its option {@code transforms}. Each has random numbers of its
 * own, which {@link SampleRandom#part} derives from its place in the list. Its numbers therefore do not depend on
 * whether or when another one is applied. Serves one thread.
 */
final class NestedTransforms {
    /**
     * Readers of pipeline files recognise the type of this list, so they can report the line of a wrong entry.
     */
    static final Option<List<TransformSpec>> OPTION = Option.of(
            "transforms",
            OptionType.choices("list of transforms", NestedTransforms::parse, NestedTransforms::withPaths),
            "The nested transforms, written as in the list of the pipeline.");

    private final List<TransformSpec> specs;
    private final List<Transform> transforms;

    private NestedTransforms(List<TransformSpec> specs) {
        this.specs = specs;
        this.transforms = specs.stream().map(TransformSpec::create).toList();
    }

    static NestedTransforms of(OptionValues options) {
        return new NestedTransforms(options.get(OPTION));
    }

    /** Returns the effect on the size of pictures. The size stays the same if no nested transform changes it. */
    static OutputSize outputSize(OptionValues options) {
        boolean same = options.get(OPTION).stream().allMatch(nested -> nested.outputSize() == OutputSize.SAME);
        return same ? OutputSize.SAME : OutputSize.VARYING;
    }

    /** Returns whether one of the nested transforms moves pixels. */
    static boolean movesPixels(OptionValues options) {
        return options.get(OPTION).stream().anyMatch(TransformSpec::movesPixels);
    }

    int count() {
        return specs.size();
    }

    String name(int i) {
        return specs.get(i).name();
    }

    /** Applies one of the transforms, at most once per sample. */
    void apply(int i, Sample sample, SampleRandom random) throws BadSampleException {
        transforms.get(i).apply(sample, random.part(i));
    }

    /** Describes a transform by its name and the parameters that it drew last. */
    String drawn(int i) {
        String drawn = transforms.get(i).drawn();
        return drawn.isEmpty() ? name(i) : name(i) + ": " + drawn;
    }

    private static List<TransformSpec> parse(Object raw) {
        if (!(raw instanceof List<?> list) || list.isEmpty()) {
            throw OptionType.expected("a list of at least one transform", raw);
        }
        List<TransformSpec> specs = new ArrayList<>();
        for (Object item : list) {
            if (item instanceof String name) {
                specs.add(spec(name, Map.of()));
            } else if (item instanceof Map<?, ?> map && map.size() == 1) {
                Map.Entry<?, ?> entry = map.entrySet().iterator().next();
                specs.add(spec(String.valueOf(entry.getKey()), entry.getValue()));
            } else {
                throw OptionType.expected("a transform as name or {name: {options}}", String.valueOf(item));
            }
        }
        return List.copyOf(specs);
    }

    private static Object withPaths(Object raw, UnaryOperator<String> change) {
        List<Object> changed = new ArrayList<>();
        for (Object item : (List<?>) raw) {
            if (item instanceof Map<?, ?> map && map.values().iterator().next() instanceof Map<?, ?>) {
                TransformSpec nested = parse(List.of(map)).get(0);
                changed.add(Map.of(
                        nested.name(),
                        new TreeMap<>(nested.options().withPaths(change).raw())));
            } else {
                changed.add(item);
            }
        }
        return changed;
    }

    private static TransformSpec spec(String name, @Nullable Object options) {
        Map<String, Object> values = new TreeMap<>();
        if (options instanceof Map<?, ?> map) {
            map.forEach((key, value) -> values.put(String.valueOf(key), value));
        } else if (options != null) {
            throw OptionType.expected("options of " + name + " as {key: value}", options);
        }
        TransformFactory factory = TransformSpec.factory(name);
        if (!factory.nests()) {
            throw OptionType.expected("transforms that can be nested", name);
        }
        return new TransformSpec(name, OptionValues.of(factory.options(), values));
    }
}
