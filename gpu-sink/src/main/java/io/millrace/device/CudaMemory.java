package io.millrace.device;

import java.nio.ByteBuffer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/** Memory of a CUDA device that the driver allocated. */
final class CudaMemory implements DeviceMemory {
    /** A pointer with access to the address, which JCuda shows only to its subclasses. */
    private static final class Allocated extends CUdeviceptr {
        private static final long serialVersionUID = 1;

        long address() {
            return getNativePointer();
        }
    }

    private final CudaContext context;
    private final Allocated pointer = new Allocated();
    private final long bytes;
    private boolean open;

    CudaMemory(CudaContext context, long bytes, String what) {
        this.context = context;
        this.bytes = bytes;
        context.enter();
        int result = JCudaDriver.cuMemAlloc(pointer, bytes);
        try {
            context.check(result, "cuMemAlloc", bytes + " bytes of " + what);
        } catch (DeviceMemoryException e) {
            throw new DeviceMemoryException(e.getMessage() + room(), e);
        }
        context.opened();
        open = true;
    }

    private static String room() {
        long[] free = new long[1];
        long[] total = new long[1];
        return JCudaDriver.cuMemGetInfo(free, total) == 0
                ? ": " + free[0] + " of its " + total[0] + " bytes are free"
                : "";
    }

    /** Returns JCuda's pointer to an address in a device's memory. */
    static CUdeviceptr deviceAddress(long address) {
        return new CUdeviceptr().withByteOffset(address);
    }

    /** Returns JCuda's pointer to an address in this process's memory. */
    static Pointer hostAddress(long address) {
        return new Pointer().withByteOffset(address);
    }

    @Override
    public long address() {
        if (!open) {
            throw new IllegalStateException("the memory is closed");
        }
        return pointer.address();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
        throw unreadable(context);
    }

    static IllegalStateException unreadable(CudaContext context) {
        return new IllegalStateException(
                "the CPU cannot read the memory of " + context.describe() + ": copy it to the host first");
    }

    @Override
    public void read(long offset, long target, long length) {
        read(context, at(offset, length), target, length);
    }

    /** Copies from a device's address, and returns when the copy is done. */
    static void read(CudaContext context, long from, long target, long length) {
        if (length > 0) {
            context.enter();
            context.check(
                    JCudaDriver.cuMemcpyDtoH(hostAddress(target), deviceAddress(from), length),
                    "cuMemcpyDtoH",
                    length + " bytes");
        }
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            context.free(() -> JCudaDriver.cuMemFree(pointer), "cuMemFree");
        }
    }
}
