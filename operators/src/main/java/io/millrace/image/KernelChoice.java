package io.millrace.image;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The choice of the kernels of this process among the kernels of this machine. */
final class KernelChoice {
    /** The system property that names the kernels. It overrides {@link #VARIABLE}. */
    static final String PROPERTY = "millrace.kernels";

    /** The environment variable that names the kernels. */
    static final String VARIABLE = "MILLRACE_KERNELS";

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
                    requested.equals("auto") ? reasonAgainstFaster(known) : ", as configured");
        }
        return known;
    }

    /** Returns the reason for which faster kernels were not chosen. */
    private static String reasonAgainstFaster(Kernels known) {
        return known == ScalarKernels.INSTANCE ? "; native: " + NativeKernels.obstacle() : "";
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
            case "auto" -> available().get(0);
            case "native" -> {
                String obstacle = NativeKernels.obstacle();
                if (obstacle != null) {
                    throw configured(name, obstacle);
                }
                yield NativeKernels.best();
            }
            case "scalar" -> ScalarKernels.INSTANCE;
            case "vector" -> throw configured(name, "Millrace no longer has them: use auto, native or scalar");
            default ->
                throw new MissingKernelsException("image kernels: expected auto, native or scalar in " + VARIABLE
                        + " or -D" + PROPERTY + ", found '" + name + "'");
        };
    }

    private static MissingKernelsException configured(String name, String reason) {
        return new MissingKernelsException(
                "image kernels: '" + name + "' are configured (" + VARIABLE + " or -D" + PROPERTY + "), but " + reason);
    }

    /**
     * Returns all kernels that run on this machine. The fastest kernels come first, and the native kernels are also listed
     * in plain C.
     */
    static List<Kernels> available() {
        return NativeKernels.obstacle() == null
                ? List.of(NativeKernels.best(), NativeKernels.plain(), ScalarKernels.INSTANCE)
                : List.of(ScalarKernels.INSTANCE);
    }
}
