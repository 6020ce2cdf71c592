package io.millrace.image;

/** Tells which twins of the pixel kernels a process runs on. */
public final class ImageKernels {
    private ImageKernels() {}

    /**
     * The kernels chosen for this process, for people: {@code native (AVX2)}, {@code native (plain C)}, {@code vector} or
     * {@code scalar}. All give the same pixels; they differ in speed.
     *
     * @throws IllegalStateException when the system property {@code millrace.kernels} or the environment variable
     *     {@code MILLRACE_KERNELS} asks for kernels that this machine does not have, with the reason
     */
    public static String description() {
        return Kernels.chosen().description();
    }
}
