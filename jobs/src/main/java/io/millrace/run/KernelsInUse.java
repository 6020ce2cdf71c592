package io.millrace.run;

import io.millrace.image.ImageKernels;
import java.util.Optional;

/** The kernels that decode and resize images in this process. */
public final class KernelsInUse {
    private KernelsInUse() {}

    private static final String LIBDEFLATE = "without libdeflate";

    /** Returns what to install where the build lacked a library that makes the kernels faster; empty when it lacked none. */
    public static Optional<String> advice() {
        return description().contains(LIBDEFLATE)
                ? Optional.of("for faster PNGs, install libdeflate-dev and run 'mvn clean'")
                : Optional.empty();
    }

    /**
     * Returns the description of the kernels for the header of a run.
     *
     * @throws UsageException when the user requested kernels that this machine lacks
     */
    public static String description() {
        try {
            return ImageKernels.description();
        } catch (IllegalStateException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
