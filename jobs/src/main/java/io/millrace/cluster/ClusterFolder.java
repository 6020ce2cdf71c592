package io.millrace.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of a cluster: its configuration, its logs, and one small file for each process.
 *
 * <p>Tested by {@code LocalClusterE2E}.
 *
 * @param path the folder; it is created on the first write, and only its owner can read it, because the configuration may
 *     contain keys
 */
record ClusterFolder(Path path) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * The description of a cluster for later programs, which control the cluster that an earlier program started.
     *
     * @param rest the host and port of the REST interface
     * @param classPath the class path of Flink's processes
     */
    @JsonIgnoreProperties(ignoreUnknown = true) // clusters of before have more
    record Description(String rest, List<String> classPath) {
        Description {
            classPath = List.copyOf(classPath);
        }
    }

    ClusterFolder {
        path = path.toAbsolutePath().normalize();
    }

    /** Returns the folder with {@code config.yaml}. */
    Path configuration() {
        return path.resolve("conf");
    }

    Path logs() {
        return path.resolve("log");
    }

    /** Returns the folder for files that Flink's processes need only while they run. */
    Path temporary() {
        return path.resolve("tmp");
    }

    /** Returns the folder with copies of our own jars, because a build may remove the originals while the cluster runs. */
    Path jars() {
        return path.resolve("lib");
    }

    private Path processFiles() {
        return path.resolve("processes");
    }

    private Path descriptionFile() {
        return path.resolve("cluster.json");
    }

    /** Creates the folders. */
    void create() throws IOException {
        Files.createDirectories(path);
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
        for (Path folder : List.of(configuration(), logs(), temporary(), jars(), processFiles())) {
            Files.createDirectories(folder);
        }
    }

    /** An action that must not run at the same time as another one for the same cluster. */
    interface ExclusiveAction<T> {
        T run() throws IOException, ClusterException, InterruptedException;
    }

    /**
     * Runs an action while no other program starts or stops processes of this cluster.
     *
     * @throws ClusterException when another program starts or stops processes of this cluster
     */
    <T> T exclusively(ExclusiveAction<T> action) throws IOException, ClusterException, InterruptedException {
        create();
        try (FileChannel channel =
                FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock(); // released when the channel is closed
            if (lock == null) {
                throw busy();
            }
            return action.run();
        } catch (OverlappingFileLockException e) {
            throw busy();
        }
    }

    private ClusterException busy() {
        return new ClusterException("another command is starting or stopping the cluster in " + path);
    }

    void describe(Description description) throws IOException {
        write(descriptionFile(), description);
    }

    Optional<Description> description() throws IOException {
        return read(descriptionFile(), Description.class);
    }

    void remember(ClusterProcess process) throws IOException {
        write(processFiles().resolve(process.id() + ".json"), process);
    }

    void forget(ClusterProcess process) throws IOException {
        Files.deleteIfExists(processFiles().resolve(process.id() + ".json"));
    }

    /** Returns the content of a file; empty when there is none, because another command may delete it at any moment. */
    private static <T> Optional<T> read(Path file, Class<T> type) throws IOException {
        try {
            return Optional.of(MAPPER.readValue(Files.readAllBytes(file), type));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns the processes that were started and not stopped, including dead ones, in the order of their start. */
    List<ClusterProcess> processes() throws IOException {
        if (!Files.isDirectory(processFiles())) {
            return List.of();
        }
        List<ClusterProcess> processes = new ArrayList<>();
        try (Stream<Path> files = Files.list(processFiles())) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                read(file, ClusterProcess.class).ifPresent(processes::add);
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        processes.sort(Comparator.comparing(ClusterProcess::role)
                .thenComparing(process -> process.id().length())
                .thenComparing(ClusterProcess::id));
        return processes;
    }

    /** Removes the files of the cluster, except its logs. */
    void clear() throws IOException {
        Files.deleteIfExists(descriptionFile());
        for (Path folder : List.of(temporary(), jars(), processFiles(), configuration())) {
            delete(folder);
        }
    }

    /** Removes the logs of the previous cluster. */
    void clearLogs() throws IOException {
        delete(logs());
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> entries = Files.walk(folder)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        }
    }

    /** Writes a file atomically: a concurrent reader finds the previous content. */
    private static void write(Path file, Object value) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        MAPPER.writeValue(fresh.toFile(), value);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
