package io.millrace.run;

import io.millrace.image.ImageKernels;

/** The kernels that images are decoded and resized with. */
public final class KernelsInUse {
    private KernelsInUse() {}

    /**
     * Their description, for the header of a run.
     *
     * @throws UsageException when the user asked for kernels that there are not
     */
    public static String description() {
        try {
            return ImageKernels.description();
        } catch (IllegalStateException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
