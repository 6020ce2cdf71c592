package io.millrace.image;

import io.millrace.image.codec.ImageHeader;
import io.millrace.sample.Field;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * The memory of the native kernels for one thread. The garbage collection of this object frees the memory.
 *
 * <p>Tested by {@code NativeKernelsTest} and {@code JpegCropTest}.
 */
final class NativeWorkspace implements ResizeKernel, JpegKernel {
    private static final Cleaner CLEANER = Cleaner.create();

    private final long handle;
    private final boolean entryPoints;

    private NativeWorkspace(long handle, boolean entryPoints) {
        this.handle = handle;
        this.entryPoints = entryPoints;
        CLEANER.register(this, () -> NativeCode.close(handle));
    }

    /** Creates a workspace that uses AVX2, and the entry points of JPEGs if they are wanted. */
    static NativeWorkspace vectorized(EntryPoints entryPoints) {
        return new NativeWorkspace(requireHandle(NativeCode.open(true)), entryPoints.use());
    }

    /** Creates a workspace that uses plain C. */
    static NativeWorkspace plain() {
        return new NativeWorkspace(requireHandle(NativeCode.open(false)), false);
    }

    private static long requireHandle(long handle) {
        if (handle == 0) {
            throw new OutOfMemoryError("no native memory for the image kernels");
        }
        return handle;
    }

    @Override
    public void resize(
            byte[] pixels,
            int corner,
            int stride,
            int channels,
            ResampleTable across,
            ResampleTable down,
            Overshoot overshoots,
            byte[] result) {
        try {
            int outcome = NativeCode.resize(
                    handle,
                    pixels,
                    corner,
                    stride,
                    channels,
                    down.in,
                    across.in,
                    across.start,
                    across.weights,
                    down.start,
                    down.weights,
                    result);
            requireMemory(outcome);
            if (outcome != NativeCode.DONE) {
                throw new IllegalArgumentException("crop of " + down.in + "x" + across.in + " at byte " + corner
                        + ", row length " + stride + ", does not lie within " + pixels.length + " bytes, or the result"
                        + " is not as long as " + down.out + "x" + across.out + "x" + channels);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean isDamaged(byte[] encoded, ImageHeader header) {
        try {
            int found = NativeCode.check(handle, encoded, header.height(), header.width(), entryPoints);
            if (found == NativeCode.NOT_CHECKED_FOR_MEMORY) {
                throw new OutOfMemoryError("no native memory for the check of a JPEG");
            }
            return found == NativeCode.DAMAGED;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean decode(byte[] encoded, ImageHeader header, int reduction, Crop crop, byte[] rgb) {
        try {
            int outcome = NativeCode.decode(
                    handle,
                    encoded,
                    header.height(),
                    header.width(),
                    reduction,
                    crop.top(),
                    crop.left(),
                    crop.height(),
                    crop.width(),
                    entryPoints,
                    rgb);
            requireMemory(outcome);
            return outcome == NativeCode.DONE;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public long decodeResized(
            byte[] encoded, ImageHeader header, Crop crop, ResampleTable across, ResampleTable down, Field picture) {
        try {
            ByteBuffer place = picture.stored();
            long began = System.nanoTime();
            int outcome = NativeCode.decodeResized(
                    handle,
                    encoded,
                    header.height(),
                    header.width(),
                    crop.top(),
                    crop.left(),
                    crop.height(),
                    crop.width(),
                    entryPoints,
                    across.start,
                    across.weights,
                    down.start,
                    down.weights,
                    place == null ? picture.data() : null,
                    place);
            long took = System.nanoTime() - began;
            requireMemory(outcome);
            return outcome == NativeCode.DONE ? (long) (took * NativeCode.resizeShare(handle)) : -1;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns how many rectangles the decoder of the native library, and not libjpeg-turbo, has decoded. */
    long baselineDecodes() {
        try {
            return NativeCode.baselineDecodes(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private static void requireMemory(int outcome) {
        if (outcome == NativeCode.NO_MEMORY) {
            throw new OutOfMemoryError("no native memory for the image kernels");
        }
    }
}
