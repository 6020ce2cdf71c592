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
 * The class path of a cluster's processes: this program's without the module that jobs come from, since a cluster gets
 * that with each job. What holds native libraries is thus loaded once per process, however many jobs run there.
 */
final class ClassPath {
    /** Jars of ours, which a build replaces. */
    private static final String OURS = "millrace-";

    private ClassPath() {}

    /**
     * The entries for Flink's processes.
     *
     * @param jars our own jars are copied there, as a later build would take them from under the cluster
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

    /** All entries, with our own jars copied to the same folder. */
    static List<String> ofThisProgram(Path jars) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            Path path = Path.of(entry).toAbsolutePath().normalize();
            Path kept = kept(path, jars);
            if (!kept.equals(path)) {
                Files.copy(path, kept, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
            }
            entries.add(kept.toString());
        }
        return entries;
    }

    private static Path kept(Path entry, Path jars) {
        String name = entry.getFileName().toString();
        return name.startsWith(OURS) && Files.isRegularFile(entry) ? jars.resolve(name) : entry;
    }

    /** The jar or the folder that this class comes from. */
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
