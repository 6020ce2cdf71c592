package io.millrace.report.html;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** The conversion of configurations to YAML. */
final class ConfigurationText {
    private ConfigurationText() {}

    static String of(Map<String, Object> configuration) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setAllowUnicode(true);
        return new Yaml(options).dump(own(configuration));
    }

    /** Returns a copy in which no object occurs twice, because SnakeYAML writes references to repeated objects. */
    private static Object own(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, held) -> copy.put(key, own(held)));
            return copy;
        }
        return value instanceof List<?> list
                ? list.stream().map(ConfigurationText::own).collect(Collectors.toList())
                : value;
    }
}
