package io.millrace.config;

import io.millrace.option.ByteSize;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.TimeSpan;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The keys and values of one section, as a pipeline file would have them. Each {@code *Config} record adds its own
 * values under the options from which it reads them.
 */
final class WrittenConfig {
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** Puts a value under a key. Enums, times, sizes and components are written as in a pipeline file. */
    WrittenConfig put(Option<?> option, Object value) {
        values.put(option.key(), plain(written(option, value)));
        return this;
    }

    @SuppressWarnings(
            "unchecked") // each caller passes a value of the option's type, or one that its type writes as it is
    private static <T> Object written(Option<T> option, Object value) {
        return option.type().written((T) value);
    }

    /** Puts a value under a key if there is one. */
    WrittenConfig put(Option<?> option, Optional<?> value) {
        value.ifPresent(present -> put(option, present));
        return this;
    }

    /** Puts the values of a dataset format or another component beside the section's own keys. */
    WrittenConfig putAll(OptionValues options) {
        values.putAll(new TreeMap<>(options.raw()));
        return this;
    }

    /** Puts a section under a key if it has any values. */
    <C> WrittenConfig section(Option<?> option, C config, BiConsumer<C, WrittenConfig> write) {
        Map<String, Object> section = written(config, write);
        if (!section.isEmpty()) {
            values.put(option.key(), section);
        }
        return this;
    }

    /** Puts a section under a key if it has any values. */
    <C extends Record> WrittenConfig section(Option<?> option, C config, Bound<C> keys) {
        return section(option, config, keys::write);
    }

    /** Puts a list of sections under a key unless it is empty. */
    <C> WrittenConfig sections(Option<?> option, List<C> configs, BiConsumer<C, WrittenConfig> write) {
        if (!configs.isEmpty()) {
            values.put(
                    option.key(),
                    configs.stream().map(config -> written(config, write)).toList());
        }
        return this;
    }

    /** Puts a list of transforms: those on the data servers, then those on the device. */
    WrittenConfig transforms(Option<?> option, List<TransformSpec> onServers, List<TransformSpec> onDevice) {
        List<Object> transforms = new ArrayList<>();
        onServers.forEach(transform -> transforms.add(component(transform.name(), transform.options())));
        for (TransformSpec transform : onDevice) {
            Map<String, Object> options = new TreeMap<>(transform.options().raw());
            options.put(TransformPlace.OPTION.key(), word(TransformPlace.DEVICE));
            transforms.add(Map.of(transform.name(), options));
        }
        values.put(option.key(), transforms);
        return this;
    }

    /** Returns the keys and values, those of {@code order} first and in their order. */
    Map<String, Object> inOrderOf(List<Option<?>> order) {
        Map<String, Object> ordered = new LinkedHashMap<>();
        for (Option<?> option : order) {
            Object value = values.get(option.key());
            if (value != null) {
                ordered.put(option.key(), value);
            }
        }
        values.forEach(ordered::putIfAbsent);
        return ordered;
    }

    private static <C> Map<String, Object> written(C config, BiConsumer<C, WrittenConfig> write) {
        WrittenConfig section = new WrittenConfig();
        write.accept(config, section);
        return section.values;
    }

    private static Object plain(Object value) {
        if (value instanceof Enum<?> constant) {
            return word(constant);
        }
        if (value instanceof Duration duration) {
            return new TimeSpan(duration).toString();
        }
        if (value instanceof ByteSize || value instanceof Path) {
            return value.toString();
        }
        if (value instanceof Component component) {
            return component(component.name(), component.options());
        }
        return value instanceof List<?> list
                ? list.stream().map(WrittenConfig::plain).toList()
                : value;
    }

    private static Object component(String name, OptionValues options) {
        return options.raw().isEmpty() ? name : Map.of(name, new TreeMap<>(options.raw()));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
