package io.millrace.image;

/** The public description of the pixel kernels that the process uses. */
public final class ImageKernels {
    private ImageKernels() {}

    /**
     * Returns the name of the kernels that were chosen for this process: {@code native (AVX2)}, {@code native (plain
     * C)} or {@code scalar}. The pixels are the same for all kernels, but the speed differs.
     *
     * @throws IllegalStateException when the system property {@code millrace.kernels} or the environment variable
     *     {@code MILLRACE_KERNELS} requires kernels that this machine does not have; the message contains the reason
     */
    public static String description() {
        return Kernels.chosen().description();
    }
}
