package io.millrace.pipeline;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars that are sent with a job: the thin jar of Millrace's own job, and the user's jars. All other jars, above all
 * those with native libraries, belong in the lib folder of the cluster.
 */
public final class JobJars {
    /** The variable with the user's jars and folders of jars, in the launcher's syntax. */
    public static final String VARIABLE = "MILLRACE_CLASSPATH";

    private JobJars() {}

    /**
     * Finds the jars.
     *
     * @param userClassPath the value of {@link #VARIABLE}, empty for none
     * @throws PipelineException when a class path has entries that cannot be sent; the message is for the user
     */
    public static List<Path> find(String userClassPath) throws PipelineException {
        List<Path> jars = new ArrayList<>();
        jars.add(own());
        for (String entry : userClassPath.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                jars.addAll(
                        entry.endsWith("/*")
                                ? jarsIn(Path.of(entry.substring(0, entry.length() - 1)))
                                : List.of(jar(Path.of(entry))));
            }
        }
        return jars;
    }

    private static Path own() throws PipelineException {
        CodeSource source = JobJars.class.getProtectionDomain().getCodeSource();
        Path path;
        try {
            path = source == null ? null : Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(
                    "the location of Millrace's classes is no path: " + source.getLocation(), e);
        }
        if (path == null || !Files.isRegularFile(path)) {
            throw new PipelineException("a job is sent to a cluster as a jar, but Millrace's classes were loaded from "
                    + path + ": start it with ./millrace, or with jobs/target/millrace-jobs-*.jar on the class path");
        }
        return path;
    }

    private static Path jar(Path entry) throws PipelineException {
        if (!Files.isRegularFile(entry)) {
            throw new PipelineException(VARIABLE + " names " + entry
                    + ", which is not a file: only jars are sent to a cluster, not folders of classes");
        }
        return entry.toAbsolutePath();
    }

    private static List<Path> jarsIn(Path folder) throws PipelineException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .map(Path::toAbsolutePath)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new PipelineException(VARIABLE + " names " + folder + "/*, which cannot be listed: " + e, e);
        }
    }
}
