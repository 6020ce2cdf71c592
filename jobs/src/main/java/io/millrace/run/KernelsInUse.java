package io.millrace.run;

import io.millrace.image.ImageKernels;

/** The kernels that decode and resize images in this process. */
public final class KernelsInUse {
    private KernelsInUse() {}

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
