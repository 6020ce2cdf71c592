package io.millrace.image;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The choice of the kernels of this process among the kernels of this machine. */
final class KernelChoice {
    /** The system property that names the kernels. It overrides {@link #VARIABLE}. */
    static final String PROPERTY = "millrace.kernels";

    /** The environment variable that names the kernels. */
    static final String VARIABLE = "MILLRACE_KERNELS";

    private static final Pattern LIMITED_COMPILER = Pattern.compile("-Xint|-XX:TieredStopAtLevel=[0-3]");

    private static final Logger LOG = LoggerFactory.getLogger(KernelChoice.class);

    /**
     * The chosen kernels. The first thread that needs kernels sets this field, once and under the lock of the class.
     * Other threads read the field without the lock.
     */
    private static volatile @Nullable Kernels chosen;

    private KernelChoice() {}

    /**
     * Returns the kernels of this process.
     *
     * @throws MissingKernelsException when the configuration requires kernels that this machine does not have; the
     *     message has the reason
     */
    static Kernels chosen() {
        Kernels known = chosen;
        return known == null ? choose() : known;
    }

    private static synchronized Kernels choose() {
        Kernels known = chosen;
        if (known == null) {
            String requested = requested();
            known = named(requested);
            chosen = known;
            if (requested.equals("auto") && NativeKernels.obstacle() != null && NativeCode.isPacked()) {
                // Warnings are shown to the user, who would otherwise see only a slow run.
                LOG.warn(
                        "Images are decoded and resized several times as slowly as on this machine's native kernels: {}",
                        NativeKernels.obstacle());
            }
            LOG.info(
                    "Image kernels: {}{}",
                    known.description(),
                    requested.equals("auto") ? reasonsAgainstFaster(known) : ", as configured");
        }
        return known;
    }

    private static String requested() {
        String requested = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        return requested == null || requested.isBlank()
                ? "auto"
                : requested.strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the kernels with a name, or the fastest kernels for {@code auto}.
     *
     * @throws MissingKernelsException when this machine does not have such kernels
     */
    static Kernels named(String name) {
        return switch (name) {
            case "auto" -> fastest(OPTIMIZES);
            case "native" -> {
                String obstacle = NativeKernels.obstacle();
                if (obstacle != null) {
                    throw missing(name, obstacle);
                }
                yield NativeKernels.best(java(OPTIMIZES));
            }
            case "vector" -> {
                Found vector = vector();
                if (vector.kernels() == null) {
                    throw missing(name, vector.obstacle());
                }
                yield vector.kernels();
            }
            case "scalar" -> ScalarKernels.INSTANCE;
            default ->
                throw new MissingKernelsException("image kernels: expected auto, native, vector or scalar in "
                        + VARIABLE + " or -D" + PROPERTY + ", found '" + name + "'");
        };
    }

    /** Whether the JVM optimizes. Without it, the vector kernels are far slower than the scalar ones. */
    private static final boolean OPTIMIZES =
            optimizes(ManagementFactory.getRuntimeMXBean().getInputArguments());

    private static final String NO_OPTIMIZER =
            "the JVM runs without its optimizing compiler, because of -Xint or -XX:TieredStopAtLevel";

    private static final String NO_VECTOR =
            "the JVM runs without the module jdk.incubator.vector: --add-modules jdk.incubator.vector would add it";

    private static MissingKernelsException missing(String name, String reason) {
        return new MissingKernelsException(
                "image kernels: '" + name + "' are configured (" + VARIABLE + " or -D" + PROPERTY + "), but " + reason);
    }

    /**
     * Returns all kernels that run on this machine, for tests and benchmarks. The fastest kernels come first, and the
     * native kernels are also listed in plain C.
     */
    static List<Kernels> available() {
        List<Kernels> all = new ArrayList<>();
        if (NativeKernels.obstacle() == null) {
            all.add(NativeKernels.best(java(OPTIMIZES)));
            all.add(NativeKernels.plain(java(OPTIMIZES)));
        }
        Kernels vector = vector().kernels();
        if (vector != null) {
            all.add(vector);
        }
        all.add(ScalarKernels.INSTANCE);
        return all;
    }

    /**
     * Returns the fastest kernels of this machine.
     *
     * @param optimizes whether the JVM optimizes
     */
    static Kernels fastest(boolean optimizes) {
        Kernels java = java(optimizes);
        return NativeKernels.obstacle() == null ? NativeKernels.best(java) : java;
    }

    private static Kernels java(boolean optimizes) {
        Kernels vector = optimizes ? vector().kernels() : null;
        return vector == null ? ScalarKernels.INSTANCE : vector;
    }

    /** Returns whether a JVM with these arguments uses its optimizing compiler. */
    static boolean optimizes(List<String> arguments) {
        return arguments.stream().noneMatch(LIMITED_COMPILER.asMatchPredicate());
    }

    private static Found vector() {
        return find("io.millrace.image.VectorKernels");
    }

    /**
     * Kernels, or the reason why they are not available.
     *
     * @param kernels the kernels; null when there are none
     * @param obstacle the reason; empty when there are kernels
     */
    record Found(@Nullable Kernels kernels, String obstacle) {}

    /** Finds kernels by the name of their class, because the class cannot be loaded if the JVM lacks the module. */
    static Found find(String className) {
        try {
            return new Found(
                    Class.forName(className)
                            .asSubclass(Kernels.class)
                            .getDeclaredConstructor()
                            .newInstance(),
                    "");
        } catch (InvocationTargetException e) {
            LOG.debug("No vector kernels", e);
            return new Found(null, String.valueOf(e.getTargetException().getMessage()));
        } catch (ReflectiveOperationException | LinkageError e) {
            LOG.debug("No vector kernels", e);
            return new Found(null, NO_VECTOR);
        }
    }

    /** Returns the reasons for which faster kernels were not chosen. */
    private static String reasonsAgainstFaster(Kernels known) {
        if (known.name().equals("native")) {
            return "";
        }
        String reasons = "; native: " + NativeKernels.obstacle();
        return known.name().equals("vector")
                ? reasons
                : reasons + "; vector: " + (OPTIMIZES ? vector().obstacle() : NO_OPTIMIZER);
    }
}
