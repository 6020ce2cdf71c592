package io.millrace.config;

import io.millrace.option.OptionType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Flink's own settings in a pipeline file: {@code flink: {s3.endpoint: "http://..."}}. */
final class FlinkSettings {
    static final OptionType<Map<String, String>> TYPE = OptionType.of("{key: value} of Flink", FlinkSettings::parse);

    /** The beginnings of the keys that file systems read. They are set up for the whole process, not for a cluster in it. */
    private static final List<String> FILE_SYSTEMS = List.of("s3.", "s3a.", "presto.s3.", "fs.");

    private FlinkSettings() {}

    private static Map<String, String> parse(Object raw) {
        Map<String, String> settings = new TreeMap<>();
        if (!(raw instanceof Map<?, ?> map)) {
            throw OptionType.expected("Flink's settings as {key: value}", raw);
        }
        put("", map, settings);
        return Map.copyOf(settings);
    }

    /** Adds the settings of a mapping, whose keys may contain dots or be nested. */
    private static void put(String prefix, Map<?, ?> map, Map<String, String> settings) {
        map.forEach((key, value) -> {
            String path = prefix + key;
            if (value instanceof Map<?, ?> nested) {
                put(path + ".", nested, settings);
            } else if (value instanceof String || value instanceof Number || value instanceof Boolean) {
                settings.put(path, value.toString());
            } else {
                throw OptionType.expected(
                        "text, a number or a boolean as the value of '" + path + "'",
                        value == null ? Types.NOTHING : value);
            }
        });
    }

    /** Returns the settings as a pipeline file has them, with secrets masked. */
    static Map<String, String> written(Map<String, String> settings) {
        Map<String, String> written = new TreeMap<>(settings);
        written.replaceAll(Secrets::masked);
        return written;
    }

    /** Returns the settings of a cluster in this process. Its REST interface would show the secrets of file systems. */
    static Map<String, String> ofCluster(Map<String, String> settings) {
        Map<String, String> shown = new TreeMap<>(settings);
        shown.entrySet()
                .removeIf(setting -> FILE_SYSTEMS.stream().anyMatch(setting.getKey()::startsWith)
                        && !Secrets.masked(setting.getKey(), setting.getValue()).equals(setting.getValue()));
        return shown;
    }
}
