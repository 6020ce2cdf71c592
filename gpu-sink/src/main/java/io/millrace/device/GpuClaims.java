package io.millrace.device;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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

    private final Path folder;

    /** Uses a folder, which is created when the first GPU is claimed. */
    public GpuClaims(Path folder) {
        this.folder = folder.toAbsolutePath();
    }

    /** Returns the claims of this machine: those in {@link #VARIABLE}'s folder, or else in the folder of temporary files. */
    public static GpuClaims ofMachine() {
        String given = System.getenv(VARIABLE);
        return new GpuClaims(
                given == null || given.isEmpty()
                        ? Path.of(System.getProperty("java.io.tmpdir")).resolve(FOLDER)
                        : Path.of(given));
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
     * Claims the first of these GPUs that nobody has claimed, or else the first of those with the fewest claims. If claims
     * are not possible, because the folder cannot be used, the result is the first GPU, and a warning is logged.
     *
     * @param uuids the UUIDs of the GPUs, the preferred ones first; at least one
     */
    public Claim claim(List<String> uuids) {
        try {
            prepare();
            for (int place = 0; place < MOST_PLACES; place++) {
                for (int gpu = 0; gpu < uuids.size(); gpu++) {
                    Optional<Closeable> held = tryClaim(uuids.get(gpu), place);
                    if (held.isPresent()) {
                        return new Claim(gpu, place, held.get());
                    }
                }
            }
        } catch (IOException e) {
            LOG.warn(
                    "GPUs cannot be claimed in {}, so two trainers of this machine may use the same one: {}. Set {} to a"
                            + " folder that all trainers of the machine can write",
                    folder,
                    e.toString(),
                    VARIABLE);
        }
        return new Claim(0, 0, () -> {});
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
        FileChannel channel = null;
        boolean held = false;
        try {
            FileChannel opened = open(file);
            channel = opened;
            held = opened.tryLock() != null;
            return held ? Optional.of(() -> release(opened, property)) : Optional.empty();
        } finally {
            if (!held) {
                close(channel, property);
            }
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

    private static void close(@Nullable FileChannel channel, String property) throws IOException {
        try {
            if (channel != null) {
                channel.close(); // releases the lock
            }
        } finally {
            System.getProperties().remove(property);
        }
    }

    /**
     * Opens a file that another user may have created. Linux refuses to open such a file in a shared folder for creation, so
     * it is created only when it does not exist.
     */
    private static FileChannel open(Path file) throws IOException {
        while (true) {
            try {
                return FileChannel.open(file, StandardOpenOption.WRITE);
            } catch (NoSuchFileException missing) {
                try {
                    FileChannel created =
                            FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
                    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(SHARED_FILE));
                    }
                    return created;
                } catch (FileAlreadyExistsException raced) {
                    LOG.debug("{} was created meanwhile", file);
                }
            }
        }
    }
}
