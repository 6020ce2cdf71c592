package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.TimeSpan;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a section, bound to the components of its record by their names: the option {@code READ_AHEAD}, a static field of
 * the record, is the component {@code readAhead}. So an option stands in two places, its declaration and its component, and a
 * component without an option is found when the class is loaded.
 *
 * <p>Options have a default, or their component is an {@link Optional}, a list or a map, which is then empty. A component may be a
 * {@link Duration} for a {@link TimeSpan}.
 *
 * @param <C> the record
 */
final class Bound<C extends Record> {
    private final Constructor<C> constructor;
    private final List<Part> parts;

    private record Part(RecordComponent component, Option<?> option) {}

    private Bound(Constructor<C> constructor, List<Part> parts) {
        this.constructor = constructor;
        this.parts = parts;
    }

    /** Binds the components of a record of this package. Called after the declarations of the record's options. */
    static <C extends Record> Bound<C> of(Class<C> type) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return new Bound<>(
                    type.getDeclaredConstructor(types),
                    Arrays.stream(components)
                            .map(component -> new Part(component, option(type, component.getName())))
                            .toList());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " has no canonical constructor", e);
        }
    }

    private static Option<?> option(Class<?> type, String component) {
        String name = component.replaceAll("(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
        try {
            if (type.getDeclaredField(name).get(null) instanceof Option<?> option) {
                return option;
            }
            throw new IllegalStateException(type + ": " + name + " is no option, or is declared too late");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " has no option " + name + " for its component " + component, e);
        }
    }

    /** Returns the options, in the order of the components. */
    List<Option<?>> options() {
        return List.copyOf(parts.stream().map(Part::option).toList());
    }

    /** Reads a section. Values that were reported as bad are replaced by the defaults, as {@link Section#find} does. */
    C read(Section section) {
        try {
            return constructor.newInstance(
                    parts.stream().map(part -> value(section, part)).toArray());
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(constructor + " has failed", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(constructor + " cannot be called", e);
        }
    }

    private static Object value(Section section, Part part) {
        Class<?> type = part.component.getType();
        Optional<?> found = section.find(part.option)
                .map(value -> type == Duration.class && value instanceof TimeSpan span ? span.duration() : value);
        if (type == Optional.class) {
            return found;
        }
        if (found.isEmpty() && type == List.class) {
            return List.of();
        }
        if (found.isEmpty() && type == Map.class) {
            return Map.of();
        }
        return found.orElseThrow(() -> new IllegalStateException("no default for " + section.pathOf(part.option)));
    }

    /** Writes a section, without the values that are absent or empty. */
    void write(C config, WrittenConfig section) {
        for (Part part : parts) {
            Object value = valueOf(config, part.component);
            Optional<?> present = value instanceof Optional<?> optional ? optional : Optional.of(value);
            present.filter(found -> !isEmpty(found)).ifPresent(found -> section.put(part.option, found));
        }
    }

    private static boolean isEmpty(Object value) {
        return value instanceof Collection<?> all ? all.isEmpty() : value instanceof Map<?, ?> map && map.isEmpty();
    }

    private static Object valueOf(Record config, RecordComponent component) {
        try {
            return component.getAccessor().invoke(config);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }
}
