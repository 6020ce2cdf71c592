package io.millrace.train.input;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.AlignedMemory;
import java.util.Arrays;

/** Arrays on the host over memory that Millrace owns, for managers of any device. Stateless. */
final class HostArrays {
    private HostArrays() {}

    /** Returns an array over the beginning of the memory. Only the calling thread may use the array and the memory. */
    static PtNDArray view(AlignedMemory memory, DataType type, PtNDManager manager, long... shape) {
        long bytes = Arrays.stream(shape).reduce(type.getNumOfBytes(), Math::multiplyExact);
        return JniUtils.createNdFromByteBuffer(
                manager,
                memory.slice(0, Math.toIntExact(bytes)),
                new Shape(shape),
                type,
                SparseFormat.DENSE,
                Device.cpu());
    }
}
