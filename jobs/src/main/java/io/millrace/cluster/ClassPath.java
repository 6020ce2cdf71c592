package io.millrace.cluster;

import io.millrace.pipeline.JobJars;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The class path of a cluster's processes: the class path of this program without the module jobs, because a cluster
 * gets the jar of that module with each job. A process therefore loads the jars with native libraries once, even if it
 * runs many jobs.
 */
final class ClassPath {
    /** The beginning of the names of our own jars, which a build replaces. */
    private static final String OURS = "millrace-";

    /** The end of an entry that stands for the jars in a folder. */
    private static final String JARS = "/*";

    private ClassPath() {}

    /**
     * Returns the entries for Flink's processes.
     *
     * @param jars the folder to which our own jars are copied, because a later build would remove them while the cluster runs
     */
    static List<String> ofFlink(Path jars) throws IOException {
        Path jobs = jobsModule();
        List<String> entries = new ArrayList<>();
        for (String entry : ofThisProgram(jars)) {
            if (!entry.equals(kept(jobs, jars).toString())) {
                entries.add(entry);
            }
        }
        return entries;
    }

    /** Returns the entries of this program's class path without the module jobs and without the user's. */
    static List<Path> ofLibraries() {
        Path jobs = jobsModule();
        String own = System.getenv().getOrDefault(JobJars.VARIABLE, "");
        return entries().stream()
                .filter(entry -> !entry.equals(jobs) && !isUsers(entry, own))
                .toList();
    }

    private static List<Path> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .map(ClassPath::normal)
                .toList();
    }

    /**
     * Returns all entries of this program's class path, with our own jars copied to the folder, in the order of {@link
     * #ordered}.
     */
    private static List<String> ofThisProgram(Path jars) throws IOException {
        List<String> ordered = new ArrayList<>();
        for (Path path : ordered(entries(), System.getenv().getOrDefault(JobJars.VARIABLE, ""))) {
            Path kept = kept(path, jars);
            if (!kept.equals(path)) {
                Files.copy(path, kept, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
            }
            ordered.add(kept.toString());
        }
        return ordered;
    }

    /**
     * Returns the entries in the order for a process. The libraries come first, because JVMs whose class paths begin alike can
     * share an archive of classes ({@code -XX:SharedArchiveFile}). Our own jars and folders follow. The user's entries come
     * last, as on the launcher's class path, so that their classes never replace ours or those of a library.
     *
     * @param entries the entries of a class path, absolute and normalized
     * @param userClassPath the value of {@link JobJars#VARIABLE}, empty for none
     */
    static List<Path> ordered(List<Path> entries, String userClassPath) {
        List<Path> libraries = new ArrayList<>();
        List<Path> ours = new ArrayList<>();
        List<Path> users = new ArrayList<>();
        for (Path entry : entries) {
            if (isUsers(entry, userClassPath)) {
                users.add(entry);
            } else {
                (isLibrary(entry) ? libraries : ours).add(entry);
            }
        }
        return Stream.of(libraries, ours, users).flatMap(List::stream).toList();
    }

    private static boolean isUsers(Path entry, String userClassPath) {
        return Stream.of(userClassPath.split(File.pathSeparator, -1))
                .anyMatch(named -> !named.isEmpty() && stands(named, entry));
    }

    /** Returns whether an entry of the user's class path stands for this entry. The JVM replaces a folder with {@code /*} by its jars. */
    private static boolean stands(String named, Path entry) {
        return named.endsWith(JARS)
                ? normal(named.substring(0, named.length() - JARS.length())).equals(entry.getParent())
                : normal(named).equals(entry);
    }

    private static Path normal(String entry) {
        return Path.of(entry).toAbsolutePath().normalize();
    }

    /** Returns whether an entry is a jar of a library, neither one of our own jars nor a folder of classes. */
    static boolean isLibrary(Path entry) {
        return !entry.getFileName().toString().startsWith(OURS) && Files.isRegularFile(entry);
    }

    private static Path kept(Path entry, Path jars) {
        String name = entry.getFileName().toString();
        return name.startsWith(OURS) && Files.isRegularFile(entry) ? jars.resolve(name) : entry;
    }

    /** Returns the jar or the folder that this class was loaded from. */
    private static Path jobsModule() {
        try {
            return Path.of(ClassPath.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath()
                    .normalize();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
