package io.millrace.device;

import ai.djl.engine.Engine;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * Functions of DJL that DJL does not export: the address of a tensor, and methods of a TorchScript module that may take
 * part in training. No other class uses DJL's internals, and the error names this dependency when DJL has changed.
 * Stateless.
 */
final class EngineLibrary {
    private static final String LIBRARY = "ai.djl.pytorch.jni.PyTorchLibrary";

    /** The function (tensor's handle) to a buffer over the tensor's memory, on any device. */
    private static final MethodHandle BUFFER;

    /**
     * The function (module's handle, method, arguments' handles, is training, own CUDA stream) to the result's handle.
     */
    private static final MethodHandle RUN;

    /** The function (handle) to a value. */
    private static final MethodHandle VALUE;

    static {
        try {
            Class<?> type = Class.forName(LIBRARY);
            MethodHandles.Lookup inside = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            Object library = inside.findStaticGetter(type, "LIB", type).invoke();
            BUFFER = inside.findVirtual(
                            type, "torchDirectByteBuffer", MethodType.methodType(ByteBuffer.class, long.class))
                    .bindTo(library);
            RUN = inside.findVirtual(
                            type,
                            "moduleRunMethod",
                            MethodType.methodType(
                                    long.class, long.class, String.class, long[].class, boolean.class, boolean.class))
                    .bindTo(library);
            VALUE = MethodHandles.privateLookupIn(IValue.class, MethodHandles.lookup())
                    .findConstructor(IValue.class, MethodType.methodType(void.class, long.class));
        } catch (Throwable e) {
            throw changed(e);
        }
    }

    private EngineLibrary() {}

    /**
     * Returns the address of a tensor's first element in the memory of its device; the tensor is contiguous and below 2
     * GiB.
     */
    static long address(PtNDArray tensor) {
        try {
            long handle = tensor.getHandle();
            return MemoryUtil.getByteBufferAddress((ByteBuffer) BUFFER.invokeExact(handle));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw changed(e);
        }
    }

    /**
     * Runs a method of a module on the engine's usual stream, and records gradients if this thread records them. DJL's
     * own method returns tensors that no training may use.
     */
    static IValue run(PtSymbolBlock module, String method, IValue... arguments) {
        long[] handles = Arrays.stream(arguments).mapToLong(IValue::getHandle).toArray();
        try {
            long handle = module.getHandle();
            long result = (long) RUN.invokeExact(handle, method, handles, true, false);
            return (IValue) VALUE.invokeExact(result);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw changed(e);
        }
    }

    private static DeviceException changed(Throwable e) {
        return new DeviceException(
                "DJL " + Engine.getDjlVersion() + " is not the version whose internals this version of Millrace uses"
                        + " (0.35.1): " + LIBRARY + ": " + e,
                e);
    }
}
