package io.millrace.device;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;

/**
 * Memory of a CUDA device that the training engine allocated: a tensor of bytes, whose address the driver's copies use.
 * Therefore the engine trains on the memory that the copies fill, and both use the same pool of free memory.
 *
 * <p>The engine reuses the memory of a tensor as soon as the tensor is closed, and orders the reuse only on its own
 * stream. Therefore the constructor waits for that stream, because earlier work may still use the memory. The owner
 * closes memory only after the copies on other streams are done.
 */
final class EngineMemory implements DeviceMemory {
    private final CudaContext context;
    private final EngineAllocations allocations;
    private final PtNDArray tensor;
    private final long address;
    private final long bytes;
    private boolean open = true;

    /**
     * Allocates memory.
     *
     * @param manager the owner of the tensor; a manager of the engine's device
     * @param engine the engine's stream
     */
    EngineMemory(
            CudaContext context,
            PtNDManager manager,
            CudaStream engine,
            EngineAllocations allocations,
            long bytes,
            String what) {
        this.context = context;
        this.allocations = allocations;
        this.bytes = bytes;
        context.enter();
        Handles begun = new Handles();
        try {
            this.tensor = begun.add(manager.create(new Shape(bytes), DataType.UINT8));
            this.address = begun.closeOnFailure(() -> {
                long found = EngineTensors.requireAligned(EngineTensors.address(tensor));
                allocations.allocated(context.number(), found, bytes);
                begun.add(() -> allocations.freeing(found));
                engine.synchronize();
                return found;
            });
        } catch (EngineException e) {
            throw EngineErrors.translate(e, bytes + " bytes of " + what + " on " + context.describe());
        }
        context.opened();
    }

    /** Returns the tensor of all bytes, for {@link EngineTensors}. */
    PtNDArray tensor() {
        if (!open) {
            throw new IllegalStateException("the memory is closed");
        }
        return tensor;
    }

    @Override
    public long address() {
        if (!open) {
            throw new IllegalStateException("the memory is closed");
        }
        return address;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
        throw CudaMemory.unreadable(context);
    }

    @Override
    public void read(long offset, long target, long length) {
        CudaMemory.read(context, at(offset, length), target, length);
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            context.closed();
            allocations.freeing(address);
            tensor.close();
        }
    }
}
