package io.millrace.diagnosis.advice;

import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The text of a setting for transforms, such as {@code transforms=[decode, {Resize: {size: 64}}]}. Pure. */
final class TransformList {
    private TransformList() {}

    static String setting(List<TransformSpec> transforms) {
        return "transforms="
                + transforms.stream().map(TransformList::written).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String written(TransformSpec transform) {
        Map<String, Object> options = transform.options().raw();
        return options.isEmpty() ? transform.name() : "{" + transform.name() + ": " + value(options) + "}";
    }

    private static String value(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> sorted = new TreeMap<>();
            map.forEach((key, entry) -> sorted.put(String.valueOf(key), entry));
            return sorted.entrySet().stream()
                    .map(entry -> entry.getKey() + ": " + value(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(TransformList::value).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String text ? "'" + text.replace("'", "''") + "'" : String.valueOf(value);
    }
}
