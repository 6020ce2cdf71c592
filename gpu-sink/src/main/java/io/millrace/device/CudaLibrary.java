package io.millrace.device;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.millrace.file.TemporaryFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native libraries of the CUDA driver: NVIDIA's {@code libcuda.so.1}, and JCuda's library, which connects it to
 * Java. Both are loaded at the first use and never unloaded. Any thread may call every method.
 *
 * <p>JCuda itself unpacks its library to a file in {@code java.io.tmpdir} whose name all processes of all users share. It
 * uses the file if it exists: a process that starts beside another one finds an incomplete file, and a damaged file
 * stays until somebody deletes it. Therefore the library is unpacked here, to a new folder that only this process uses
 * and deletes again, and JCuda finds it there.
 */
final class CudaLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(CudaLibrary.class);
    private static final String DRIVER = "libcuda.so.1";

    /** The number of the error that a file does not exist. */
    private static final int NO_SUCH_FILE = 2;

    /** The words of the system's loader for a file that it may not map, for example because of {@code noexec}. */
    private static final String NOT_MAPPED = "failed to map segment from shared object";

    private static boolean loaded;

    /** The reason for which JNA did not start at the first attempt; null when it did, or nobody has tried. */
    private static @Nullable String jnaObstacle;

    private CudaLibrary() {}

    /**
     * Loads the libraries if they are not loaded yet. A later call tries again after a failure.
     *
     * @throws NoGpuException when no driver is installed
     * @throws DeviceException with the cause, when a library cannot be loaded
     */
    static synchronized void load() {
        if (loaded) {
            return;
        }
        requireJna();
        requireDriver();
        String name =
                LibUtils.createLibraryFileName(LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
        usable(folders(), name, CudaLibrary::packed, CudaLibrary::obstacle, CudaLibrary::start);
        loaded = true;
    }

    /** Loads JNA, which tries the libraries before JCuda loads them, and unpacks a library too, to a file of its own. */
    private static void requireJna() {
        try {
            NativeLibrary.getProcess();
        } catch (LinkageError e) {
            if (jnaObstacle == null) {
                jnaObstacle = firstLine(e); // Java does not repeat it: later only the class is named
            }
            throw new DeviceException(
                    "JNA, which loads the CUDA driver, cannot start: " + jnaObstacle
                            + ". Set -Djna.tmpdir to a folder that can be written and is not mounted with noexec",
                    e);
        }
    }

    private static void requireDriver() {
        String obstacle = obstacle(DRIVER);
        if (obstacle == null) {
            return;
        }
        if (isMissing(obstacle, text("strerror", "No such file or directory", NO_SUCH_FILE))) {
            throw new NoGpuException(
                    "there is no NVIDIA driver: " + DRIVER + " was not found. If the machine has a GPU, install its"
                            + " driver. In a container, make the GPU visible (docker run --gpus all)");
        }
        throw new DeviceException("the NVIDIA driver's library was found, but cannot be loaded: " + obstacle
                + ". Install the driver again; in a container, start it anew after an update of the driver");
    }

    /**
     * Returns whether an obstacle is that the driver's library does not exist. The system's messages are in the language
     * of the user. They begin with the file that cannot be loaded, which may be another one that the driver needs.
     *
     * @param noSuchFile the system's message of that error
     */
    static boolean isMissing(String obstacle, String noSuchFile) {
        return obstacle.startsWith(DRIVER + ": ") && obstacle.endsWith(": " + noSuchFile);
    }

    /** Returns a text of the C library in the language of the user, or the English text if there is no such function. */
    private static String text(String function, String english, Object... arguments) {
        try {
            Pointer text = NativeLibrary.getProcess().getFunction(function).invokePointer(arguments);
            return text == null ? english : text.getString(0);
        } catch (UnsatisfiedLinkError e) {
            LOG.debug("the C library has no {}", function, e);
            return english;
        }
    }

    /** Returns the reason for which the system cannot load a library; null when it is loaded now. */
    private static @Nullable String obstacle(String library) {
        try {
            NativeLibrary.getInstance(library);
            return null;
        } catch (UnsatisfiedLinkError e) {
            // The first line is JNA's, the next one the system's, and the others are of JNA's further attempts.
            return String.valueOf(e.getMessage())
                    .lines()
                    .skip(1)
                    .findFirst()
                    .orElseGet(() -> library + ": " + e.getMessage());
        }
    }

    /** Returns a function of the driver; empty when this version of the driver does not have it. */
    static Optional<Function> function(String name) {
        try {
            return Optional.of(NativeLibrary.getInstance(DRIVER).getFunction(name));
        } catch (UnsatisfiedLinkError e) {
            LOG.debug("the driver has no {}", name, e);
            return Optional.empty();
        }
    }

    /** Returns the folders in which the library may be unpacked, in the order of the attempts. Programs cannot be run from a
     * temporary folder that is mounted with {@code noexec}, and the user's folder of caches is seldom mounted so.
     */
    private static List<Path> folders() {
        String caches = System.getenv("XDG_CACHE_HOME");
        Path user = caches == null || caches.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(caches);
        return List.of(TemporaryFolder.path(), user);
    }

    private static InputStream packed(String name) throws IOException {
        InputStream packed = JCudaDriver.class.getResourceAsStream("/lib/" + name);
        if (packed == null) {
            throw new IOException(
                    "the class path has no lib/" + name + ", which jcuda-natives contains for Linux x86_64");
        }
        return packed;
    }

    /** The content of a library. */
    @FunctionalInterface
    interface Packed {
        /** Opens the library of this name. */
        InputStream open(String name) throws IOException;
    }

    /** An attempt to load a library. */
    @FunctionalInterface
    interface Loading {
        /** Returns the reason for which the file cannot be loaded; null when it is loaded now. */
        @Nullable
        String obstacle(String file);
    }

    /** The use of a library that can be loaded. */
    @FunctionalInterface
    interface Use {
        /** Uses the library in this folder, which is deleted afterwards. */
        void use(Path folder);
    }

    /**
     * Unpacks a library to a new folder in one of these folders, the first from which it can be loaded, and uses it.
     * Afterwards the new folder is deleted: a library that is loaded needs no file.
     *
     * @throws DeviceException with the obstacle in each folder, when it can be loaded from none
     */
    static void usable(List<Path> folders, String name, Packed packed, Loading loading, Use use) {
        List<String> obstacles = new ArrayList<>();
        for (Path folder : folders) {
            Path own = null;
            try {
                Files.createDirectories(folder);
                own = Files.createTempDirectory(folder, "millrace-cuda"); // only this user may read and write it
                Path file = own.resolve(name);
                try (InputStream content = packed.open(name)) {
                    Files.copy(content, file);
                }
                String obstacle = loading.obstacle(file.toString());
                if (obstacle == null) {
                    use.use(own);
                    return;
                }
                obstacles.add(obstacle + advice(obstacle, folder, text("dgettext", NOT_MAPPED, "libc", NOT_MAPPED)));
            } catch (IOException e) {
                obstacles.add("it cannot be unpacked to " + folder + ": " + e);
            } finally {
                delete(own);
            }
        }
        throw new DeviceException("JCuda's library cannot be loaded: " + String.join("; ", obstacles));
    }

    /**
     * Returns advice about a folder from which a library cannot be loaded, or an empty text.
     *
     * @param notMapped the loader's words, in the language of the user, for a file that it may not map
     */
    static String advice(String obstacle, Path folder, String notMapped) {
        return obstacle.contains(notMapped)
                ? " (" + folder + " is probably mounted with noexec: set -D" + TemporaryFolder.PROPERTY
                        + " to another folder)"
                : "";
    }

    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            LOG.info("{} cannot be deleted: {}", folder, e.toString());
        }
    }

    /**
     * Initializes JCuda with the library in a folder. JCuda looks for the library in {@code java.io.tmpdir}, so the
     * property names the folder while JCuda's class is initialized. The JDK reads the property when it starts, and
     * Millrace through {@link TemporaryFolder}. Another library that reads it in this moment, on another thread, receives
     * a folder that is deleted soon.
     */
    private static void start(Path folder) {
        // Initializes the class.
        TemporaryFolder.replace(folder, () -> JCudaDriver.setExceptionsEnabled(false));
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
    }
}
