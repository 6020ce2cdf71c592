package io.millrace.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The folder {@code lib} of an installation of Flink, or a folder that is filled to become a part of one. */
public final class FlinkLibrary {
    /** The name of a jar: the artifact, and the version with which the rest of the name begins. */
    private static final Pattern JAR = Pattern.compile("(?<artifact>.+?)-(?<version>\\d.*)\\.jar");

    private static final String FLINK = "flink-dist";
    private static final String OURS = "millrace-";

    private final Path folder;

    /** Creates an object for a folder, which need not exist. */
    public FlinkLibrary(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns the jars of this program that a cluster's Flink lacks: all but those of Flink itself, the job, which is submitted, and the
     * user's own ones, which travel with the job.
     *
     * @param flink a regular expression for the beginnings of the names of Flink's jars
     * @throws ClusterException when this program does not run from jars
     */
    public static List<Path> jars(String flink) throws ClusterException {
        Pattern ofFlink = Pattern.compile("(" + flink + ")-.*");
        List<Path> jars = ClassPath.ofLibraries().stream()
                .filter(entry ->
                        !ofFlink.matcher(entry.getFileName().toString()).matches())
                .toList();
        for (Path jar : jars) {
            if (!Files.isRegularFile(jar)) {
                throw new ClusterException(jar + " is not a jar: start this command with the launcher");
            }
        }
        return jars;
    }

    /**
     * Copies jars into the folder, which is created when it is missing.
     *
     * @param minor the minor version of Flink that Millrace is built for, as in 2.3
     * @return the number of jars that were missing or had other bytes
     * @throws ClusterException when the folder belongs to something else, to another version of Flink, or has other versions of the
     *     jars; nothing is copied then
     * @throws IOException when a jar cannot be written
     */
    public int add(List<Path> jars, String minor) throws ClusterException, IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new ClusterException(folder + " is not a folder");
        }
        Files.createDirectories(folder);
        List<Path> present;
        try (Stream<Path> files = Files.list(folder)) {
            present = files.sorted().toList();
        }
        requireFlink(present, jars, minor);
        requireNoOtherVersions(present, jars);
        int copied = 0;
        for (Path jar : jars) {
            Path target = folder.resolve(jar.getFileName());
            if (Files.exists(target) && Files.mismatch(jar, target) < 0) {
                continue;
            }
            // A Flink that starts at this moment sees all of the jar or nothing.
            Path part = folder.resolve(part(jar));
            try {
                Files.copy(jar, part, StandardCopyOption.REPLACE_EXISTING);
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(part);
            }
            copied++;
        }
        return copied;
    }

    /** A variable that is not set makes {@code $FLINK_HOME/lib} the system's folder. */
    private void requireFlink(List<Path> present, List<Path> jars, String minor) throws ClusterException {
        // An earlier call may have been ended before the first of our own jars.
        Set<String> ours = jars.stream()
                .flatMap(jar -> Stream.of(jar.getFileName().toString(), part(jar)))
                .collect(Collectors.toSet());
        boolean filled = present.stream()
                .allMatch(file -> ours.contains(file.getFileName().toString()));
        for (Path file : present) {
            Matcher jar = JAR.matcher(file.getFileName().toString());
            boolean named = jar.matches();
            filled |= named && jar.group("artifact").startsWith(OURS);
            if (named && jar.group("artifact").equals(FLINK)) {
                filled = true;
                if (!jar.group("version").startsWith(minor + ".")) {
                    throw new ClusterException(folder + " has Flink " + jar.group("version")
                            + ", but this Millrace is built for Flink " + minor + ".x");
                }
            }
        }
        if (!filled) {
            throw new ClusterException(folder + " has other files and no " + FLINK
                    + "-*.jar: expected the folder lib of Flink " + minor + ", or a new or empty folder");
        }
    }

    private void requireNoOtherVersions(List<Path> present, List<Path> jars) throws ClusterException {
        Set<String> names =
                jars.stream().map(jar -> jar.getFileName().toString()).collect(Collectors.toSet());
        Set<String> artifacts = names.stream().map(FlinkLibrary::artifact).collect(Collectors.toSet());
        List<String> others = present.stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> artifacts.contains(artifact(name)) && !names.contains(name))
                .toList();
        if (!others.isEmpty()) {
            throw new ClusterException(folder + " has other versions of these jars, which Flink would load too: delete "
                    + String.join(", ", others) + " first");
        }
    }

    /** Returns the name of a copy that is not complete. */
    private static String part(Path jar) {
        return "." + jar.getFileName() + ".part";
    }

    /** Returns the name of a jar up to its version. */
    private static String artifact(String name) {
        Matcher jar = JAR.matcher(name);
        return jar.matches() ? jar.group("artifact") : name;
    }
}
