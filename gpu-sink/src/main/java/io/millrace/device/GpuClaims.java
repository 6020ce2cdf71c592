package io.millrace.device;

import io.millrace.file.TemporaryFolder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claims of the trainers of this machine on its GPUs. A claim is the exclusive lock of a file that is named by the
 * GPU's UUID, in a folder that all processes of the machine share. The system releases the lock when the process ends,
 * however it ends, so a claim never has to be cleaned up.
 *
 * <p>Each GPU has several places. A trainer takes the first place of a GPU that is free, and if the first places of all
 * GPUs are taken, a second place, and so on. So trainers share a GPU only when there are more trainers than GPUs, and are
 * then spread evenly. Any thread of any process may claim at any time.
 */
public final class GpuClaims {
    /** The variable that names the folder of claims. */
    public static final String VARIABLE = "MILLRACE_GPU_CLAIMS";

    private static final Logger LOG = LoggerFactory.getLogger(GpuClaims.class);
    private static final String FOLDER = "millrace-gpus";

    /** The number of trainers that may share a GPU; a trainer beyond it uses a GPU without a claim. */
    private static final int MOST_PLACES = 64;

    /** The permissions of a folder in which each user may create files, and nobody may delete those of others. */
    private static final int SHARED_FOLDER = 01777;

    private static final String SHARED_FILE = "rw-rw-rw-";

    /**
     * A prefix of system properties that name the claims of this process. The locks of files belong to the process, and
     * closing any channel to a file releases all its locks on it, so a file with a claim is never opened again. Classes
     * of Millrace may be loaded several times in one process, but the process has one set of properties.
     */
    private static final String PROPERTY = "millrace.gpu-claim.";

    /**
     * The folders that may contain the folder of claims, before the folder of temporary files. The system empties them
     * when it starts. Many systems delete old files from the folder of temporary files, and a trainer could then claim a
     * GPU whose file was deleted while another trainer has the claim.
     */
    private static final List<Path> SHARED = List.of(Path.of("/run/lock"), Path.of("/dev/shm"));

    /** The opening of a file of claims. */
    @FunctionalInterface
    interface Opening {
        /** Opens an existing file for writing. */
        FileChannel open(Path file) throws IOException;
    }

    private final Path folder;
    private final Opening opening;

    /** Uses a folder, which is created when the first GPU is claimed. */
    public GpuClaims(Path folder) {
        this(folder, file -> FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    /** Uses a folder and opens the files in it in another way. */
    GpuClaims(Path folder, Opening opening) {
        this.folder = folder;
        this.opening = opening;
    }

    /**
     * Returns the claims of this machine: those in {@link #VARIABLE}'s folder. Without this variable, they are in {@code
     * /run/lock}, {@code /dev/shm} or the folder of temporary files, the first that every user may write.
     */
    public static GpuClaims ofMachine() {
        String given = System.getenv(VARIABLE);
        return new GpuClaims(
                given == null || given.isEmpty() ? common(SHARED, TemporaryFolder.path()) : Path.of(given));
    }

    /**
     * Returns the folder of claims in the first of several folders in which every user may create files, or else in
     * another one. All users of a machine must receive the same folder, so the rights of this user do not matter, except
     * that a file system may be read-only.
     */
    static Path common(List<Path> folders, Path otherwise) {
        return folders.stream()
                .filter(GpuClaims::isForAll)
                .findFirst()
                .orElse(otherwise)
                .resolve(FOLDER);
    }

    private static boolean isForAll(Path folder) {
        try {
            return Files.isDirectory(folder)
                    && Files.isWritable(folder)
                    && folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                    && Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException e) {
            LOG.debug("the rights of {} cannot be read", folder, e);
            return false;
        }
    }

    /**
     * A claim on a GPU, until it is closed or the process ends.
     *
     * @param choice the index of the GPU in the list that was claimed from
     * @param others the number of trainers that had claimed the GPU before and still use it, at least
     */
    public record Claim(int choice, int others, Closeable held) implements Closeable {
        /** Gives the claim up; closing again does nothing. */
        @Override
        public void close() throws IOException {
            held.close();
        }
    }

    /**
     * Claims the first of these GPUs that nobody has claimed, or else the first of those with the fewest claims. A place
     * that cannot be used, for example because its file has wrong permissions, counts as taken, and a warning is logged.
     * If there is no place, the result is the first GPU without a claim.
     *
     * @param uuids the UUIDs of the GPUs, the preferred ones first; at least one
     * @throws DeviceException when the folder's path is relative
     */
    public Claim claim(List<String> uuids) {
        if (!folder.isAbsolute()) {
            throw new DeviceException(VARIABLE + " is '" + folder
                    + "': expected an absolute path, because the trainers of a machine run in different folders");
        }
        IOException unusable = null;
        try {
            prepare();
        } catch (IOException e) {
            unusable = e;
        }
        int[] trainers = new int[uuids.size()];
        for (int place = 0; place < MOST_PLACES; place++) {
            for (int gpu = 0; gpu < uuids.size(); gpu++) {
                try {
                    Optional<Closeable> held = tryClaim(uuids.get(gpu), place);
                    if (held.isPresent()) {
                        warn(unusable);
                        return new Claim(gpu, trainers[gpu], held.get());
                    }
                    trainers[gpu]++;
                } catch (IOException e) {
                    unusable = unusable == null ? e : unusable;
                }
            }
        }
        warn(unusable);
        return new Claim(0, trainers[0], () -> {});
    }

    private void warn(@Nullable IOException unusable) {
        if (unusable != null) {
            LOG.warn(
                    "not all claims on GPUs are possible in {}, so two trainers of this machine may use the same GPU: {}."
                            + " Set {} to a folder that all trainers of the machine can write",
                    folder,
                    unusable.toString(),
                    VARIABLE);
        }
    }

    private void prepare() throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            if (folder.getFileSystem().supportedFileAttributeViews().contains("unix")) {
                Files.setAttribute(folder, "unix:mode", SHARED_FOLDER);
            }
        }
    }

    /** Takes a place of a GPU if it is free. */
    private Optional<Closeable> tryClaim(String uuid, int place) throws IOException {
        Path file = folder.resolve(uuid + "." + place);
        String property = PROPERTY + file;
        if (System.getProperties().putIfAbsent(property, "claimed") != null) {
            return Optional.empty();
        }
        boolean held = false;
        try {
            FileChannel locked = tryLock(file);
            held = locked != null;
            return locked == null ? Optional.empty() : Optional.of(() -> release(locked, property));
        } finally {
            if (!held) {
                System.getProperties().remove(property);
            }
        }
    }

    /**
     * Opens a file and locks it; returns null when another process has locked it. Others may delete the file at any time. The
     * lock of a deleted file is no claim, because the next trainer creates the file again. Therefore this method checks
     * after locking that the file still exists. A file has the same key as long as it exists.
     */
    private @Nullable FileChannel tryLock(Path file) throws IOException {
        while (true) {
            try {
                Object key = key(file);
                FileChannel opened = opening.open(file);
                boolean held = false;
                try {
                    if (opened.tryLock() == null) {
                        return null;
                    }
                    if (Objects.equals(key, key(file))) {
                        mark(opened, file);
                        held = true;
                        return opened;
                    }
                } finally {
                    if (!held) {
                        opened.close(); // releases the lock
                    }
                }
            } catch (NoSuchFileException missing) {
                create(file);
            }
        }
    }

    private static @Nullable Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /**
     * Writes the number of this process to a file that it has locked. A program that deletes old files considers the time
     * of the last write.
     */
    private static void mark(FileChannel locked, Path file) {
        String content = ProcessHandle.current().pid() + "\n";
        try {
            locked.truncate(0);
            locked.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            LOG.info("{} is claimed, but cannot be written: {}", file, e.toString());
        }
    }

    /** Releases a claim; a claim that is released already may be another one's by now. */
    private static void release(FileChannel locked, String property) throws IOException {
        synchronized (locked) {
            if (locked.isOpen()) {
                close(locked, property);
            }
        }
    }

    private static void close(FileChannel locked, String property) throws IOException {
        try {
            locked.close(); // releases the lock
        } finally {
            System.getProperties().remove(property);
        }
    }

    /**
     * Creates a file that every user may write. Linux refuses to open a file of another user in a shared folder for
     * creation, so files are created separately.
     */
    private static void create(Path file) throws IOException {
        try {
            Files.createFile(file);
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(SHARED_FILE));
            }
        } catch (FileAlreadyExistsException raced) {
            LOG.debug("{} was created meanwhile", file);
        }
    }
}
