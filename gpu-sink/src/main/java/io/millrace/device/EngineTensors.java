package io.millrace.device;

import ai.djl.engine.Engine;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bridge between the engine's tensors and memory by address: the address of a tensor, and tensors that are views of
 * a device's memory. No other class uses addresses of tensors. Any thread may call the methods; the engine must be
 * loaded already.
 */
public final class EngineTensors {
    /** The size of the largest buffer; DJL returns addresses through buffers. */
    private static final long MOST_BYTES = Integer.MAX_VALUE;

    private static final byte[] PATTERN =
            "write here, read there; 64 bytes of a tensor that nobody trains".getBytes(StandardCharsets.US_ASCII);

    private static final class Holder {
        static final EngineScript SCRIPT = EngineScript.load(EngineTensors.class, "engine-tensors.pt", (PtNDManager)
                Engine.getEngine("PyTorch").newBaseManager(ai.djl.Device.cpu()));
    }

    private EngineTensors() {}

    private static EngineScript script() {
        return Holder.SCRIPT;
    }

    /** Returns the engine's name of a device whose memory its tensors can view. */
    public static ai.djl.Device engineDevice(Device device) {
        return device instanceof CudaDevice cuda ? cuda.engineDevice() : ai.djl.Device.cpu();
    }

    /** Returns whether the training engine computes on a GPU when it trains on this device. */
    public static boolean computesOnGpu(Device device) {
        return device instanceof CudaDevice cuda
                && cuda.hasEngine()
                && cuda.engineDevice().isGpu();
    }

    /**
     * Returns the address of a tensor's first element in the memory of its device. It is valid until the tensor is
     * closed or moved to other memory.
     *
     * @throws IllegalArgumentException when the tensor is not contiguous
     */
    public static long address(PtNDArray tensor) {
        long bytes = tensor.size() * tensor.getDataType().getNumOfBytes();
        if (bytes <= MOST_BYTES) {
            return contiguous(tensor);
        }
        try (PtNDArray line = JniUtils.reshape(tensor, new long[] {-1});
                PtNDArray first = JniUtils.slice(line, 0, 0, 1, 1)) {
            return contiguous(first);
        }
    }

    private static long contiguous(PtNDArray tensor) {
        try {
            return EngineLibrary.address(tensor);
        } catch (ai.djl.engine.EngineException e) {
            throw new IllegalArgumentException("a tensor of " + tensor.getShape() + " is not contiguous in memory", e);
        }
    }

    /**
     * Returns a view of a part of a device's memory as bytes; the memory must stay open as long as the tensor is used.
     *
     * @param manager the owner of the tensor; a manager of the engine's device that has the memory
     * @throws IllegalArgumentException when the engine cannot reach the memory
     */
    public static PtNDArray bytes(DeviceMemory memory, long offset, long length, PtNDManager manager) {
        return numbers(memory, offset, new Shape(length), DataType.UINT8, manager);
    }

    /**
     * Returns a view of a part of a device's memory as numbers. A change through another tensor on the same memory does
     * not count as a change of this tensor in the engine's records for gradients.
     *
     * @param offset the offset in bytes, a multiple of a number's size
     */
    public static PtNDArray numbers(DeviceMemory memory, long offset, Shape shape, DataType type, PtNDManager manager) {
        long length = shape.size() * type.getNumOfBytes();
        memory.at(offset, length); // checks
        if (memory instanceof HostMemory) {
            return manager.create(memory.slice(offset, Math.toIntExact(length)), shape, type);
        }
        long place = offset / type.getNumOfBytes();
        return script().tensor("viewed", manager, whole(memory, manager), code(type), place, shape.getShape());
    }

    /**
     * Returns a tensor of all bytes of a memory; its storage begins with the first byte. The manager owns a view of the
     * host's.
     */
    private static PtNDArray whole(DeviceMemory memory, PtNDManager manager) {
        if (memory instanceof EngineMemory engine) {
            return engine.tensor();
        }
        if (memory instanceof HostMemory) {
            ByteBuffer bytes = memory.slice(0, Math.toIntExact(memory.bytes()));
            return manager.create(bytes, new Shape(memory.bytes()), DataType.UINT8);
        }
        throw new IllegalArgumentException("the engine did not allocate this memory, and can view only its own");
    }

    /** Returns a copy of the first numbers in a memory of the engine or of the host, converted to another type. */
    public static PtNDArray converted(
            DeviceMemory memory, ElementType from, Shape shape, DataType to, PtNDManager manager) {
        memory.at(0, shape.size() * from.bytes); // checks
        return script().tensor(
                        "converted",
                        manager,
                        whole(memory, manager),
                        from.code,
                        shape.getShape(),
                        from.isUnsigned16(),
                        code(to));
    }

    /**
     * Returns sparse rows in a memory of the engine or of the host with all their elements.
     *
     * @param memory the entries, each a place in the row, int32, and an element
     * @param offsets the first entry of each row and the end of the last row, int64 [rows + 1]
     * @param entries the number of entries of all rows
     * @param elements the number of elements of each row
     * @param shape the shape of the result
     */
    public static PtNDArray dense(
            DeviceMemory memory,
            DeviceMemory offsets,
            int rows,
            int entries,
            ElementType from,
            int elements,
            DataType to,
            Shape shape,
            PtNDManager manager) {
        memory.at(0, (long) entries * (Integer.BYTES + from.bytes)); // checks
        offsets.at(0, (rows + 1L) * Long.BYTES);
        return script().tensor(
                        "dense",
                        manager,
                        whole(memory, manager),
                        whole(offsets, manager),
                        rows,
                        entries,
                        from.bytes,
                        from.code,
                        from.isUnsigned16(),
                        elements,
                        code(to),
                        shape.getShape());
    }

    /** The types of numbers that a memory may hold, also those for which DJL has no arrays. */
    public enum ElementType {
        UINT8(0, 1),
        BOOL(0, 1),
        INT8(1, 1),
        INT16(2, 2),
        UINT16(2, 2),
        INT32(3, 4),
        INT64(4, 8),
        FLOAT16(5, 2),
        BFLOAT16(15, 2),
        FLOAT32(6, 4),
        FLOAT64(7, 8);

        /** PyTorch's code of the type with as many bytes (c10::ScalarType). */
        private final int code;

        private final int bytes;

        ElementType(int code, int bytes) {
            this.code = code;
            this.bytes = bytes;
        }

        /**
         * Returns whether numbers are read as signed and corrected, because few of the engine's operators support
         * uint16.
         */
        private boolean isUnsigned16() {
            return this == UINT16;
        }
    }

    /**
     * Returns rows of bits in a memory of the engine or of the host, the lowest bit of each byte first, as zeros and
     * ones.
     *
     * @param rowBytes the bytes of each row
     * @param elements the bits of each row
     * @param shape the shape of the result
     */
    public static PtNDArray spread(
            DeviceMemory memory, int rows, int rowBytes, int elements, DataType to, Shape shape, PtNDManager manager) {
        memory.at(0, (long) rows * rowBytes); // checks
        return script().tensor(
                        "spread",
                        manager,
                        whole(memory, manager),
                        rows,
                        rowBytes,
                        elements,
                        code(to),
                        shape.getShape());
    }

    /** Moves a tensor to the memory of another, with its extents; the tensor's old values are lost. */
    public static void place(PtNDArray tensor, PtNDArray where) {
        script().call("place", tensor, where);
    }

    /** Copies values to a tensor of the same extents, also from another device. */
    public static void copy(PtNDArray target, PtNDArray source) {
        script().call("copy", target, source);
    }

    /** Sets all elements to one value. */
    public static void fill(PtNDArray tensor, double value) {
        script().call("fill", tensor, value);
    }

    /** Returns PyTorch's code of a type (c10::ScalarType). */
    private static int code(DataType type) {
        return switch (type) {
            case UINT8 -> 0;
            case INT8 -> 1;
            case INT32 -> 3;
            case INT64 -> 4;
            case FLOAT16 -> 5;
            case FLOAT32 -> 6;
            case FLOAT64 -> 7;
            case BOOLEAN -> 11;
            case BFLOAT16 -> 15;
            default -> throw new IllegalArgumentException("no tensors of " + type);
        };
    }

    /**
     * Checks that addresses have the expected meaning: bytes written to a tensor's address are read from the tensor,
     * and vice versa.
     *
     * @param manager a manager of the engine's device
     * @throws DeviceException when the check fails
     */
    static void check(Device device, PtNDManager manager) {
        try (Handles opened = new Handles()) {
            AlignedMemory written = opened.add(device.pageLocked(PATTERN.length, "a check"));
            AlignedMemory read = opened.add(device.pageLocked(PATTERN.length, "a check"));
            DeviceMemory memory = opened.add(device.memory(PATTERN.length, "a check"));
            opened.add(device.engine()::synchronize);
            PtNDArray tensor = opened.add(bytes(memory, 0, PATTERN.length, manager));
            written.buffer().put(PATTERN);
            device.engine().copyIn(written.address(), memory, 0, PATTERN.length);
            device.engine().synchronize();
            byte[] seen = new byte[PATTERN.length];
            tensor.toByteBuffer().get(seen);
            require(PATTERN, seen, "the engine to read the bytes that were written to a tensor's address");
            fill(tensor, 1);
            device.engine().copyOut(memory, 0, read.address(), PATTERN.length);
            device.engine().synchronize();
            read.buffer().get(seen);
            byte[] ones = new byte[PATTERN.length];
            Arrays.fill(ones, (byte) 1);
            require(ones, seen, "the bytes that the engine wrote at a tensor's address");
        }
    }

    private static void require(byte[] expected, byte[] found, String what) {
        if (!Arrays.equals(expected, found)) {
            throw new DeviceException("the engine's tensors are not where DJL " + Engine.getDjlVersion()
                    + " reports them: expected " + what + ", found " + Arrays.toString(found)
                    + ". This version of Millrace was made for DJL 0.35.1");
        }
    }

    /** Returns the address of a whole tensor, which must be aligned for every type of number. */
    static long requireAligned(long address) {
        if (address % AlignedMemory.ALIGNMENT != 0) {
            throw new DeviceException("the engine allocated memory at " + Long.toHexString(address)
                    + ", expected a multiple of " + AlignedMemory.ALIGNMENT);
        }
        return address;
    }
}
