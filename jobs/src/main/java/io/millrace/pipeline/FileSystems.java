package io.millrace.pipeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.core.plugin.PluginManager;

/**
 * The loading of file systems from Flink's plugins into this process. Flink itself loads them only in the processes of
 * a cluster. Each plugin is a folder in {@code plugins/}, as in Flink's own distribution.
 */
public final class FileSystems {
    /**
     * The environment variable that names the folder of plugins. If it is not set, Flink's own variable is used, and
     * then the working directory.
     */
    private static final String OUR_VARIABLE = "MILLRACE_PLUGINS";

    private static final String FLINK_VARIABLE = "FLINK_PLUGINS_DIR";
    private static final String FOLDER = "plugins";

    /**
     * The defaults of the S3 client. It requests ranges, and leaves retries and time limits to Millrace. Otherwise the
     * client's retries would multiply with the retries of Millrace, and it would take minutes to detect an address that
     * does not answer.
     */
    private static final Map<String, String> DEFAULTS = Map.of(
            "fs.s3a.experimental.input.fadvise", "random",
            "fs.s3a.attempts.maximum", "1",
            "fs.s3a.retry.limit", "1",
            "fs.s3a.retry.interval", "50ms",
            "fs.s3a.retry.throttle.limit", "1",
            "fs.s3a.retry.throttle.interval", "50ms",
            "fs.s3a.connection.establish.timeout", "5000",
            "fs.s3a.connection.timeout", "30000",
            "fs.s3a.connection.maximum", "256");

    /** The plugins by folder, because the classes of a plugin are loaded once. */
    private static final Map<Path, PluginManager> PLUGINS = new ConcurrentHashMap<>();

    private FileSystems() {}

    /**
     * Initializes the file systems, and replaces those of an earlier call.
     *
     * @param settings the settings of Flink and its file systems, such as {@code s3.endpoint}
     * @throws IOException when plugins cannot be loaded; the message is for the user
     */
    public static void initialize(Map<String, String> settings) throws IOException {
        Configuration configuration = configuration(settings);
        Optional<Path> folder = folder();
        FileSystem.initialize(configuration, folder.isEmpty() ? null : plugins(folder.get(), configuration));
    }

    /** Returns Flink's configuration with the given settings, and with our defaults for its file systems. */
    public static Configuration configuration(Map<String, String> settings) {
        Configuration configuration = Configuration.fromMap(DEFAULTS);
        settings.forEach((key, value) -> configuration.setString(ownKey(key), value));
        return configuration;
    }

    /**
     * Returns the key as {@link #DEFAULTS} spells it. The plugin accepts three prefixes, and the defaults use the
     * longest of them.
     */
    private static String ownKey(String key) {
        for (String prefix : new String[] {"s3.", "s3a."}) {
            String rest = key.startsWith(prefix) ? key.substring(prefix.length()) : "";
            if (DEFAULTS.containsKey("fs.s3a." + rest)) {
                return "fs.s3a." + rest;
            }
        }
        return key;
    }

    private static Optional<Path> folder() throws IOException {
        for (String variable : new String[] {OUR_VARIABLE, FLINK_VARIABLE}) {
            String value = System.getenv(variable);
            if (value != null && !value.isEmpty()) {
                Path folder = Path.of(value).toAbsolutePath();
                if (!Files.isDirectory(folder)) {
                    throw new IOException(variable + " names the folder of plugins, but there is no folder " + value);
                }
                return Optional.of(folder);
            }
        }
        return Optional.of(Path.of(FOLDER).toAbsolutePath()).filter(Files::isDirectory);
    }

    private static PluginManager plugins(Path folder, Configuration configuration) throws IOException {
        PluginManager known = PLUGINS.get(folder);
        if (known == null) {
            known = new DefaultPluginManager(
                    new DirectoryBasedPluginFinder(folder).findPlugins(),
                    CoreOptions.getPluginParentFirstLoaderPatterns(configuration));
            PLUGINS.put(folder, known);
        }
        return known;
    }
}
