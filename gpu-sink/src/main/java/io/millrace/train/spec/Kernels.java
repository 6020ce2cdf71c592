package io.millrace.train.spec;

/** The kernels that a GPU uses where it has several. The host's kernels always return the same results. */
public enum Kernels {
    /** The kernels that CUDA's libraries estimate to be fastest. Some add in an order that differs from run to run. */
    FASTEST,
    /** The kernels that return the same results each time, if such kernels exist. */
    REPRODUCIBLE
}
