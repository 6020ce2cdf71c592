package io.millrace.report;

import io.millrace.sink.figures.DeviceFigures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The versions of Millrace, its libraries and Java, by name. */
public final class Versions {
    private static final String RESOURCE = "/millrace-versions.properties";
    private static final String PYTORCH = "pytorch";
    private static final List<String> BUILT = List.of("millrace", "flink", "djl", PYTORCH, "arrow");

    private Versions() {}

    /** Returns the versions that Millrace was built with and the version of the running Java, in a fixed order. */
    public static Map<String, String> current() {
        Properties built = built();
        Map<String, String> versions = new LinkedHashMap<>();
        for (String name : BUILT) {
            versions.put(name, built.getProperty(name));
        }
        versions.put("java", Runtime.version().toString());
        return versions;
    }

    /** Returns a regular expression for the beginnings of the names of the jars that an installation of Flink has itself. */
    public static String flinkJars() {
        return built().getProperty("flink.jars");
    }

    private static Properties built() {
        Properties built = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing from the build");
            }
            built.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return built;
    }

    /**
     * Returns the versions of a run. Its PyTorch may differ from the PyTorch of the build.
     *
     * @param trainedBy the figures of the trainers' devices; if they are null or name no PyTorch, the version of
     *     PyTorch is null
     */
    static Map<String, String> ofRun(@Nullable DeviceFigures trainedBy) {
        Map<String, String> versions = current();
        versions.put(PYTORCH, trainedBy == null ? null : trainedBy.engineVersion());
        return versions;
    }
}
