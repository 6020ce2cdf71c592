package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Flink's options for a cluster, from a configuration file and from changes to it.
 *
 * @param options keys such as {@code jobmanager.scheduler}, with values in the form that Flink parses
 */
public record ClusterSettings(Map<String, String> options) {
    /** The names of the shipped files, which are resources beside this class and files in {@code conf/flink}. */
    public static final List<String> SHIPPED = List.of("elastic", "local", "gpu", "kubernetes");

    public ClusterSettings {
        options = Map.copyOf(options);
    }

    /** Returns the settings of {@code conf/flink/<name>.yaml}. */
    public static ClusterSettings shipped(String name) throws IOException {
        try (InputStream stream = ClusterSettings.class.getResourceAsStream("conf/" + name + ".yaml")) {
            if (stream == null) {
                throw new IOException("there is no shipped configuration " + name + "; expected one of "
                        + String.join(", ", SHIPPED));
            }
            return of(yaml().load(stream), name);
        }
    }

    /**
     * Reads the settings from a file, for example one of {@code conf/flink} or the {@code config.yaml} of a Flink installation.
     *
     * @throws ClusterException when the file does not exist or is not such a file; the message names the line
     */
    public static ClusterSettings read(Path file) throws IOException, ClusterException {
        if (!Files.isRegularFile(file)) {
            throw new ClusterException("there is no configuration file " + file + "; shipped ones are in conf/flink: "
                    + String.join(", ", SHIPPED));
        }
        try {
            return of(yaml().load(Files.readString(file)), file.toString());
        } catch (YAMLException | IllegalArgumentException e) {
            throw new ClusterException(file + " is not a Flink configuration: " + e.getMessage(), e);
        }
    }

    /** Returns these settings with changes that override them. */
    public ClusterSettings with(Map<String, String> changes) {
        Map<String, String> all = new LinkedHashMap<>(options);
        all.putAll(changes);
        return new ClusterSettings(all);
    }

    /** Returns these settings, with defaults for keys that they do not contain. */
    ClusterSettings over(Map<String, String> defaults) {
        return new ClusterSettings(defaults).with(options);
    }

    Configuration configuration() {
        return Configuration.fromMap(options);
    }

    /** Writes the {@code config.yaml} that Flink's processes read. */
    void write(Path folder) throws IOException {
        Files.write(
                folder.resolve(GlobalConfiguration.FLINK_CONF_FILENAME),
                ConfigurationUtils.convertConfigToWritableLines(configuration(), true));
    }

    /** Reads the settings that {@link #write} wrote. */
    static ClusterSettings written(Path folder) {
        return new ClusterSettings(
                GlobalConfiguration.loadConfiguration(folder.toString()).toMap());
    }

    private static Yaml yaml() {
        return new Yaml(new SafeConstructor(new LoaderOptions()));
    }

    private static ClusterSettings of(Object tree, String file) {
        Map<String, String> options = new LinkedHashMap<>();
        if (tree != null) {
            if (!(tree instanceof Map<?, ?>)) {
                throw new IllegalArgumentException(file + " should contain keys and values, found: " + tree);
            }
            flatten("", tree, options);
        }
        return new ClusterSettings(options);
    }

    /** Adds a value to the options: nested keys are joined by dots, and the elements of a list by ';', as Flink does. */
    private static void flatten(String prefix, Object value, Map<String, String> options) {
        if (value instanceof Map<?, ?> map) {
            map.forEach(
                    (key, nested) -> flatten(prefix.isEmpty() ? key.toString() : prefix + "." + key, nested, options));
        } else if (value instanceof List<?> list) {
            options.put(
                    prefix, String.join(";", list.stream().map(String::valueOf).toList()));
        } else if (value != null) {
            options.put(prefix, value.toString());
        }
    }
}
