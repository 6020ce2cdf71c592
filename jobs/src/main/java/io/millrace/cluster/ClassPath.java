package io.millrace.cluster;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The class path of a cluster's processes: the class path of this program without the module jobs, because a cluster
 * gets the jar of that module with each job. A process therefore loads the jars with native libraries once, even if it
 * runs many jobs.
 */
final class ClassPath {
    /** The beginning of the names of our own jars, which a build replaces. */
    private static final String OURS = "millrace-";

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

    /**
     * Returns all entries of this program's class path, with our own jars copied to the folder. The libraries come first,
     * because JVMs whose class paths begin alike can share an archive of classes ({@code -XX:SharedArchiveFile}).
     */
    static List<String> ofThisProgram(Path jars) throws IOException {
        List<String> libraries = new ArrayList<>();
        List<String> ours = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            Path path = Path.of(entry).toAbsolutePath().normalize();
            Path kept = kept(path, jars);
            if (!kept.equals(path)) {
                Files.copy(path, kept, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
            }
            (isLibrary(path) ? libraries : ours).add(kept.toString());
        }
        libraries.addAll(ours);
        return libraries;
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
