package io.millrace.train.spec;

import java.io.Serializable;

/**
 * The settings of the engine. They change results by rounding only.
 *
 * @param threads the number of intra-operation threads, 0 for the default rule
 */
public record Tuning(int threads, MemoryFormat memoryFormat, Precision precision, GpuKernels kernels)
        implements Serializable {
    /** The default threads and layout, float32, and the fastest kernels. */
    public static final Tuning DEFAULT = new Tuning(0, MemoryFormat.CHANNELS_LAST);

    /** Creates a tuning in float32 with the fastest kernels. */
    public Tuning(int threads, MemoryFormat memoryFormat) {
        this(threads, memoryFormat, Precision.FLOAT32, GpuKernels.FASTEST);
    }

    /** Returns the defaults with another number of threads. */
    public static Tuning ofThreads(int threads) {
        return new Tuning(threads, MemoryFormat.CHANNELS_LAST);
    }

    /** Returns the layout of images where the engine computes. */
    public MemoryFormat format(boolean onGpu) {
        return onGpu ? formatOnGpu() : formatOnHost();
    }

    /**
     * Returns the layout of images on a GPU. Without a choice by the user, it is channels last when the tensor cores
     * compute, as they read that layout. In float32, which does not use them, cuDNN's kernels are faster with contiguous
     * planes.
     */
    MemoryFormat formatOnGpu() {
        if (memoryFormat != MemoryFormat.AUTO) {
            return memoryFormat;
        }
        return precision == Precision.FLOAT32 ? MemoryFormat.CONTIGUOUS : MemoryFormat.CHANNELS_LAST;
    }

    /** Returns the layout of images on the host, where convolutions are faster with channels last. */
    MemoryFormat formatOnHost() {
        return memoryFormat == MemoryFormat.AUTO ? MemoryFormat.CHANNELS_LAST : memoryFormat;
    }

    /** Returns the same tuning in another precision. */
    public Tuning in(Precision other) {
        return new Tuning(threads, memoryFormat, other, kernels);
    }
}
