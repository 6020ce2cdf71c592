package io.millrace.run;

import io.millrace.image.ImageKernels;

/** The kernels that decode and resize images in this process. */
public final class KernelsInUse {
    private KernelsInUse() {}

    private static final String LIBDEFLATE = "without libdeflate";

    /**
     * Returns the description, with what to install where the build lacked a library that makes the kernels faster.
     *
     * @throws UsageException when the user requested kernels that this machine lacks
     */
    public static String advised() {
        String description = description();
        return description.contains(LIBDEFLATE)
                ? description + ": for faster PNGs, install libdeflate-dev and run 'mvn clean'"
                : description;
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
