package io.millrace.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
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
 * @param path made when it is first written to, readable by its owner alone, as the configuration may hold keys
 */
record ClusterFolder(Path path) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * What outlives the program that starts the cluster.
     *
     * @param rest address and port
     * @param classPath of Flink's processes
     * @param jobManager what a JobManager gets that takes the place of a dead one
     */
    record Description(String rest, List<String> classPath, ProcessOptions jobManager) {
        Description {
            classPath = List.copyOf(classPath);
        }
    }

    ClusterFolder {
        path = path.toAbsolutePath().normalize();
    }

    /** Where {@code config.yaml} is. */
    Path configuration() {
        return path.resolve("conf");
    }

    Path logs() {
        return path.resolve("log");
    }

    /** For what Flink's processes write and need no longer than they live. */
    Path temporary() {
        return path.resolve("tmp");
    }

    /** What JobManagers leave for their successors. */
    Path highAvailability() {
        return path.resolve("ha");
    }

    /** Our own jars, as those of the build may go while the cluster runs. */
    Path jars() {
        return path.resolve("lib");
    }

    private Path processFiles() {
        return path.resolve("processes");
    }

    private Path descriptionFile() {
        return path.resolve("cluster.json");
    }

    /** Makes the folders. */
    void create() throws IOException {
        Files.createDirectories(path);
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
        for (Path folder : List.of(configuration(), logs(), temporary(), highAvailability(), jars(), processFiles())) {
            Files.createDirectories(folder);
        }
    }

    /** What must not run while another does the like for the same cluster. */
    interface Exclusive<T> {
        T run() throws IOException, ClusterException, InterruptedException;
    }

    /**
     * Runs it while nothing else starts or stops processes of this cluster.
     *
     * @throws ClusterException when something else does now
     */
    <T> T exclusively(Exclusive<T> action) throws IOException, ClusterException, InterruptedException {
        create();
        try (FileChannel channel =
                FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock(); // closing the channel frees it
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
        return Files.exists(descriptionFile())
                ? Optional.of(MAPPER.readValue(descriptionFile().toFile(), Description.class))
                : Optional.empty();
    }

    void remember(ClusterProcess process) throws IOException {
        write(processFiles().resolve(process.id() + ".json"), process);
    }

    void forget(ClusterProcess process) throws IOException {
        Files.deleteIfExists(processFiles().resolve(process.id() + ".json"));
    }

    /** All processes that were started and not stopped, dead ones too; in the order of their start. */
    List<ClusterProcess> processes() throws IOException {
        if (!Files.isDirectory(processFiles())) {
            return List.of();
        }
        List<ClusterProcess> processes = new ArrayList<>();
        try (Stream<Path> files = Files.list(processFiles())) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".json")).toList()) {
                processes.add(MAPPER.readValue(file.toFile(), ClusterProcess.class));
            }
        }
        processes.sort(Comparator.comparing(ClusterProcess::role)
                .thenComparing(process -> process.id().length())
                .thenComparing(ClusterProcess::id));
        return processes;
    }

    /** Forgets the cluster, but keeps its logs. */
    void clear() throws IOException {
        Files.deleteIfExists(descriptionFile());
        for (Path folder : List.of(temporary(), highAvailability(), jars(), processFiles(), configuration())) {
            delete(folder);
        }
    }

    /** Forgets the logs of the cluster before. */
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

    /** Whole or not at all: who reads meanwhile finds the file before. */
    private static void write(Path file, Object value) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        MAPPER.writeValue(fresh.toFile(), value);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
