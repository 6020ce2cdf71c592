package io.millrace.train.spec;

/** The kernels that a GPU uses where it has several. The host's kernels always return the same results. */
public enum GpuKernels {
    /** The kernels that CUDA's libraries estimate to be fastest. Some add in an order that differs from run to run. */
    FASTEST,
    /**
     * The kernels that cuDNN measures to be fastest, once for each shape of a convolution. The choice, and with it the
     * rounding, may differ from run to run.
     */
    MEASURED,
    /** The kernels that return the same results each time, if such kernels exist. */
    REPRODUCIBLE
}
