package io.millrace.train.engine;

import ai.djl.engine.Engine;
import ai.djl.util.Utils;
import io.millrace.device.DeviceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The native libraries that DJL would load for PyTorch: libtorch, from the class path or from {@code
 * PYTORCH_LIBRARY_PATH}, and the JNI library between libtorch and Java. Libraries of different versions load and then
 * crash, so their files are compared before they are loaded. The search follows {@code LibUtils} of DJL 0.35.
 *
 * @param folder the value of {@code PYTORCH_LIBRARY_PATH}; null for libtorch from the class path
 * @param versionGiven the value of {@code PYTORCH_VERSION}; null when it is not set
 * @param flavorGiven the value of {@code PYTORCH_FLAVOR}; null when it is not set
 * @param jniVersion the version of PyTorch for which the class path has a JNI library; null without one
 * @param jniFlavors the flavors for which the class path has a JNI library, such as "cpu" and "cu128"
 * @param nativeFlavors the flavors of libtorch on the class path, such as "cpu"; empty when DJL would download libtorch
 */
record EngineNatives(
        @Nullable Path folder,
        @Nullable String versionGiven,
        @Nullable String flavorGiven,
        @Nullable String jniVersion,
        List<String> jniFlavors,
        List<String> nativeFlavors) {
    /** The flavors of libtorch since 2.1. A flavor that the environment names is tried as well. */
    private static final List<String> KNOWN_FLAVORS =
            List.of("cpu", "cu130", "cu129", "cu128", "cu126", "cu124", "cu121", "cu118");

    private static final String LIBTORCH = System.mapLibraryName("torch");
    private static final String JNI = System.mapLibraryName("djl_torch");

    /**
     * The version in libtorch's file, such as "2.7.1+cu128", or in a Python package's file, such as {@code __version__
     * = '2.7.1+cu128'}.
     */
    private static final Pattern VERSION = Pattern.compile("(?m)(?:^|__version__\\s*=\\s*['\"])(\\d+\\.\\d+\\.\\d+)");

    EngineNatives {
        jniFlavors = List.copyOf(jniFlavors);
        nativeFlavors = List.copyOf(nativeFlavors);
    }

    /** Finds the libraries that this process would load. */
    static EngineNatives find() {
        String path = environmentValue("PYTORCH_LIBRARY_PATH");
        String jni = property("jnilib/pytorch.properties", "jni_version").stream()
                .findFirst()
                .orElse(null);
        String flavor = environmentValue("PYTORCH_FLAVOR");
        return new EngineNatives(
                path == null ? null : Path.of(path),
                environmentValue("PYTORCH_VERSION"),
                flavor,
                jni == null ? null : jni.split("-", 2)[0],
                jniFlavors(flavor, EngineNatives.class.getClassLoader()),
                property("native/lib/pytorch.properties", "flavor"));
    }

    /** Returns the flavors for which there is a JNI library on the class path. */
    static List<String> jniFlavors(@Nullable String given, ClassLoader classPath) {
        return Stream.concat(KNOWN_FLAVORS.stream(), Stream.ofNullable(given))
                .distinct()
                .filter(flavor -> classPath.getResource("jnilib/" + classifier() + "/" + flavor + "/" + JNI) != null)
                .toList();
    }

    private static @Nullable String environmentValue(String variable) {
        String value = System.getenv(variable) != null ? System.getenv(variable) : System.getProperty(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    private static String classifier() {
        String name = System.getProperty("os.name");
        String system = name.startsWith("Win") ? "win" : name.startsWith("Mac") ? "osx" : "linux";
        String processor = System.getProperty("os.arch");
        return system + "-" + (processor.equals("amd64") ? "x86_64" : processor);
    }

    private static List<String> property(String file, String key) {
        List<String> found = new ArrayList<>();
        try {
            for (URL url : Collections.list(EngineNatives.class.getClassLoader().getResources(file))) {
                Properties properties = new Properties();
                try (InputStream in = url.openStream()) {
                    properties.load(in);
                }
                Optional.ofNullable(properties.getProperty(key)).ifPresent(found::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /**
     * Checks that libtorch and its JNI library have the same version, before they are loaded.
     *
     * @throws DeviceException with a remedy, when they differ, or when there is no libtorch and DJL may not download it
     */
    void requireOneVersion() {
        Path there = folder;
        if (there != null && hasOwnJni(there)) {
            requireItsVersion(there);
            return;
        }
        if (jniVersion == null) {
            return; // DJL downloads a matching JNI library
        }
        if (versionGiven != null && !versionGiven.equals(jniVersion)) {
            throw new DeviceException("PYTORCH_VERSION is " + versionGiven + ", but the JNI library on the class path"
                    + " (pytorch-jni) is for PyTorch " + jniVersion + ": with another version it would crash. Set "
                    + jniVersion + ", or " + ownJni());
        }
        if (there == null) {
            if (nativeFlavors.isEmpty() && Utils.isOfflineMode()) {
                throw new DeviceException("no PyTorch " + jniVersion
                        + " was found, whose libtorch models and transforms on the device need: pip install"
                        + " torch=="
                        + jniVersion
                        + " into the Python with which Millrace is installed, or set PYTORCH_LIBRARY_PATH,"
                        + " PYTORCH_VERSION and PYTORCH_FLAVOR (see docs/use/gpu-pytorch.md)");
            }
            return;
        }
        if (!Files.isRegularFile(there.resolve(LIBTORCH))) {
            throw new DeviceException("PYTORCH_LIBRARY_PATH is " + there + ", which has no " + LIBTORCH
                    + ": expected the folder 'lib' of PyTorch " + jniVersion);
        }
        String version = version(there);
        if (version != null && !version.equals(jniVersion)) {
            throw new DeviceException("PYTORCH_LIBRARY_PATH is " + there + ", which is PyTorch " + version
                    + ", but the JNI library on the class path (pytorch-jni) is for " + jniVersion
                    + ": together they would crash. Install PyTorch " + jniVersion + ", or " + ownJni());
        }
        if (flavorGiven == null || !jniFlavors.contains(flavorGiven)) {
            throw new DeviceException("PYTORCH_FLAVOR is "
                    + (flavorGiven == null ? "not set" : "'" + flavorGiven + "'")
                    + ", but PYTORCH_LIBRARY_PATH is set: expected the flavor of that library, one of " + jniFlavors
                    + ", for which there is a JNI library");
        }
    }

    private static String ownJni() {
        return "put a " + JNI + " that was built for it beside " + LIBTORCH + " (see docs/use/gpu-pytorch.md)";
    }

    /**
     * Checks the version of a libtorch that has a JNI library beside it. No file records the version for which that JNI
     * library was built, so it is assumed to match libtorch. DJL does not read libtorch's version.
     */
    private void requireItsVersion(Path libtorch) {
        String version = version(libtorch);
        String taken = versionGiven != null ? versionGiven : jniVersion;
        if (version != null && taken != null && !version.equals(taken)) {
            throw new DeviceException("PYTORCH_LIBRARY_PATH is " + libtorch + ", which is PyTorch " + version
                    + " with a JNI library of its own, but PYTORCH_VERSION is "
                    + (versionGiven == null ? "not set, and DJL assumes " + taken : versionGiven)
                    + ": set PYTORCH_VERSION=" + version);
        }
    }

    /** Returns whether there is a JNI library for this libtorch in a place that DJL searches before the class path. */
    private boolean hasOwnJni(Path libtorch) {
        String versioned = Engine.getDjlVersion() + "-" + JNI;
        boolean beside = Files.exists(libtorch.resolve(versioned)) || Files.exists(libtorch.resolve(JNI));
        // For the class path's own version, the cache holds the library that was unpacked from the class path.
        boolean other = versionGiven != null && !versionGiven.equals(jniVersion) && flavorGiven != null;
        return beside
                || (other
                        && Files.exists(Utils.getEngineCacheDir("pytorch")
                                .resolve(versionGiven + "-" + flavorGiven + "-" + classifier())
                                .resolve(versioned)));
    }

    /** Returns the version in the files beside libtorch, or null when there are none. */
    private static @Nullable String version(Path folder) {
        Path above = folder.toAbsolutePath().normalize().getParent();
        return Stream.of(
                        folder.resolve("build-version"),
                        above == null ? folder : above.resolve("build-version"),
                        above == null ? folder : above.resolve("version.py"))
                .filter(Files::isRegularFile)
                .map(EngineNatives::versionIn)
                .flatMap(Optional::stream)
                .findFirst()
                .orElse(null);
    }

    private static Optional<String> versionIn(Path file) {
        try {
            Matcher found = VERSION.matcher(Files.readString(file));
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Checks that the libraries support CUDA, as far as their files show.
     *
     * @throws DeviceException with the missing part, when they do not
     */
    void requireCuda() {
        Path there = folder;
        if (there != null) {
            if (!Files.exists(there.resolve(System.mapLibraryName("torch_cuda")))
                    || (flavorGiven != null && !flavorGiven.startsWith("cu"))) {
                throw new DeviceException("PYTORCH_LIBRARY_PATH is " + there + " with PYTORCH_FLAVOR " + flavorGiven
                        + ", a PyTorch without CUDA: expected one with " + System.mapLibraryName("torch_cuda")
                        + " and PYTORCH_FLAVOR=" + cudaFlavor());
            }
        } else if (!nativeFlavors.isEmpty() && nativeFlavors.stream().noneMatch(flavor -> flavor.startsWith("cu"))) {
            throw new DeviceException(
                    "the PyTorch on the class path is for CPUs only (" + nativeFlavors + "): " + remedy());
        }
    }

    /** Returns the error for a loaded engine that finds no GPU. */
    DeviceException withoutCuda(String version) {
        boolean there = folder == null && nativeFlavors.stream().anyMatch(flavor -> flavor.startsWith("cu"));
        return new DeviceException("PyTorch " + version + " is loaded and cannot compute on a GPU. "
                + (there
                        ? "DJL loads its libraries for CUDA only if it finds the CUDA runtime, libcudart.so: put its"
                                + " folder into LD_LIBRARY_PATH or the Java option -Djna.library.path, or " + remedy()
                        : folder == null
                                ? "A PyTorch for CUDA is needed: " + remedy()
                                : "Its CUDA runtime does not start: is the driver new enough for it, and does"
                                        + " CUDA_VISIBLE_DEVICES list a GPU?"));
    }

    /**
     * Returns the error for libraries that cannot be loaded, for example because a file is damaged, a library that they need
     * is missing, or the folder into which DJL unpacks them is full or mounted with noexec.
     */
    DeviceException unloadable(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String place = folder != null
                ? "PYTORCH_LIBRARY_PATH, which is " + folder
                : "the class path, which DJL unpacks into " + Utils.getEngineCacheDir("pytorch");
        return new DeviceException(
                "PyTorch's libraries cannot be loaded from " + place + ": "
                        + (cause.getMessage() == null ? cause : cause.getMessage()),
                failure);
    }

    private String remedy() {
        return "set PYTORCH_LIBRARY_PATH to the folder 'lib' of an installed PyTorch " + jniVersion
                + " for CUDA, PYTORCH_VERSION=" + jniVersion + " and PYTORCH_FLAVOR=" + cudaFlavor()
                + ", or let DJL fetch pytorch-native-" + cudaFlavor() + " " + jniVersion
                + " in place of the one for CPUs (see docs/use/gpu.md)";
    }

    private String cudaFlavor() {
        return jniFlavors.stream()
                .filter(flavor -> flavor.startsWith("cu"))
                .findFirst()
                .orElse("cu128");
    }
}
