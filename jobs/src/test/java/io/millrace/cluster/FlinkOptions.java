package io.millrace.cluster;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import org.apache.flink.configuration.ConfigOption;

/** The options that Flink's classes declare, by key, read from the jars of the class path. */
public final class FlinkOptions {
    private FlinkOptions() {}

    public static Map<String, ConfigOption<?>> byKey() throws IOException, ReflectiveOperationException {
        Map<String, ConfigOption<?>> options = new HashMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String name = Path.of(entry).getFileName().toString();
            if (name.startsWith("flink-") && name.endsWith(".jar")) {
                for (String type : optionClasses(entry)) {
                    add(options, Class.forName(type));
                }
            }
        }
        return options;
    }

    private static List<String> optionClasses(String jar) throws IOException {
        try (JarFile file = new JarFile(jar)) {
            return file.stream()
                    .map(entry -> entry.getName().replace('/', '.'))
                    .filter(name -> !name.contains(".shaded."))
                    .filter(name -> name.matches("org\\.apache\\.flink\\.[\\w.]+Options(Internal)?\\.class"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .toList();
        }
    }

    private static void add(Map<String, ConfigOption<?>> options, Class<?> type) throws IllegalAccessException {
        for (Field field : type.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == ConfigOption.class) {
                ConfigOption<?> option = (ConfigOption<?>) field.get(null);
                options.put(option.key(), option);
            }
        }
    }
}
