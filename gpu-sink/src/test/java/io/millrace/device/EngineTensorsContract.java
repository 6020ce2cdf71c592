package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.engine.Engine;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.EngineTensors.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A contract for tensors and their memory, to which the driver copies and on which the engine computes. */
abstract class EngineTensorsContract {
    private static final int BYTES = 64;

    private final EngineUnderTest engine;
    private CudaDevice device;
    private PtNDManager manager;
    private DeviceMemory memory;

    EngineTensorsContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        device = engine.open();
        manager = (PtNDManager) Engine.getEngine("PyTorch").newBaseManager(EngineTensors.engineDevice(device));
        memory = device.memory(BYTES, "memory");
    }

    @AfterEach
    void close() {
        memory.close();
        manager.close();
        device.close();
        engine.assertNothingLeft();
    }

    /** Copies to the beginning of a memory, as the transfer does. */
    private void write(DeviceMemory target, Consumer<ByteBuffer> content) {
        try (AlignedMemory source = device.pageLocked(target.bytes(), "a source")) {
            content.accept(source.buffer().order(ByteOrder.LITTLE_ENDIAN));
            device.copies().copyIn(source.address(), target, 0, target.bytes());
            device.copies().synchronize();
        }
    }

    private void write(Consumer<ByteBuffer> content) {
        write(memory, content);
    }

    /** Returns all bytes of the memory once the engine is done. */
    private ByteBuffer read() {
        try (AlignedMemory target = AlignedMemory.allocate(BYTES, "pageable memory")) {
            device.engine().synchronize();
            memory.read(0, target.address(), BYTES);
            byte[] bytes = new byte[BYTES];
            target.buffer().get(0, bytes);
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    @Test
    void tensorsAddressIsInTheMemoryOfItsDevice() {
        PtNDArray tensor = manager.create(new Shape(2, 3), DataType.INT32);
        PtNDArray second = JniUtils.slice(tensor, 0, 1, 2, 1);
        assertThat(EngineTensors.address(second) - EngineTensors.address(tensor))
                .isEqualTo(12);
        assertThatThrownBy(() -> EngineTensors.address(tensor.transpose()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(3, 2) is not contiguous in memory");
    }

    @Test
    void viewsOfTheEnginesMemoryNeedNoCopy() {
        PtNDArray numbers = EngineTensors.numbers(memory, 16, new Shape(2, 2), DataType.FLOAT32, manager);
        assertThat(EngineTensors.address(numbers)).isEqualTo(memory.address() + 16);
        write(content -> content.putFloat(16, -7).putFloat(28, 0.25f));
        assertThat(numbers.toFloatArray()).containsExactly(-7, 0, 0, 0.25f);
        EngineTensors.fill(numbers, 1.5);
        assertThat(read().getInt(16)).isEqualTo(Float.floatToRawIntBits(1.5f));
        assertThat(read().getInt(28)).isEqualTo(Float.floatToRawIntBits(1.5f));
        assertThat(read().getInt(32)).isZero();
        assertThat(EngineTensors.bytes(memory, 18, 2, manager).toByteArray())
                .containsExactly(ByteBuffer.allocate(4).putFloat(1.5f).get(1), (byte) 0x3F);
        assertThat(EngineTensors.numbers(memory, 64, new Shape(0), DataType.INT64, manager)
                        .size())
                .isZero();
    }

    @Test
    void tensorMovesToTheMemoryOfAnother() {
        PtNDArray moved = (PtNDArray) manager.create(new float[] {1, 2});
        PtNDArray there = EngineTensors.numbers(memory, 8, new Shape(2), DataType.FLOAT32, manager);
        EngineTensors.copy(there, moved);
        EngineTensors.place(moved, there);
        there.close();
        assertThat(EngineTensors.address(moved)).isEqualTo(memory.address() + 8);
        assertThat(moved.toFloatArray()).containsExactly(1, 2);
        assertThat(read().getFloat(12)).isEqualTo(2);
    }

    /** Results of steps reach the CPU in this way: first in memory of the device, then by a copy after the step. */
    @Test
    void copyMayConvertNumbersAndComeFromTheHost() {
        PtNDArray doubles = EngineTensors.numbers(memory, 0, new Shape(2), DataType.FLOAT64, manager);
        try (PtNDManager host = (PtNDManager) Engine.getEngine("PyTorch").newBaseManager(ai.djl.Device.cpu())) {
            EngineTensors.copy(doubles, (PtNDArray) host.create(new float[] {0.5f, -3}));
        }
        try (AlignedMemory target = device.pageLocked(16, "a target")) {
            device.engine().copyOut(memory, 0, target.address(), 16);
            device.engine().synchronize();
            assertThat(target.buffer().getDouble(0)).isEqualTo(0.5);
            assertThat(target.buffer().getDouble(8)).isEqualTo(-3);
        }
    }

    private static Arguments sent(ElementType type, Consumer<ByteBuffer> content, double... numbers) {
        return Arguments.of(type, content, numbers);
    }

    static Stream<Arguments> elements() {
        return Stream.of(
                sent(ElementType.UINT8, b -> b.put((byte) 254).put((byte) 255).put((byte) 0), 254, 255, 0),
                sent(ElementType.BOOL, b -> b.put((byte) 1).put((byte) 0).put((byte) 1), 1, 0, 1),
                sent(ElementType.INT8, b -> b.put((byte) -128).put((byte) 127), -128, 127),
                sent(ElementType.INT16, b -> b.putShort((short) -2).putShort((short) 32_767), -2, 32_767),
                sent(ElementType.UINT16, b -> b.putShort((short) -2).putShort((short) 7), 65_534, 7),
                sent(ElementType.INT32, b -> b.putInt(-70_000).putInt(16_777_215), -70_000, 16_777_215),
                sent(ElementType.INT64, b -> b.putLong(-1L << 33).putLong(5), -8_589_934_592.0, 5),
                sent(
                        ElementType.FLOAT16,
                        b -> b.putShort((short) 0x3E00).putShort((short) 0xDC00).putShort((short) 0x3000),
                        1.5,
                        -256,
                        0.125),
                sent(
                        ElementType.BFLOAT16,
                        b -> b.putShort((short) 0x3FC0).putShort((short) 0xC380).putShort((short) 0x3E00),
                        1.5,
                        -256,
                        0.125),
                sent(ElementType.FLOAT32, b -> b.putFloat(1.5f).putFloat(-0.0625f), 1.5, -0.0625),
                sent(ElementType.FLOAT64, b -> b.putDouble(3).putDouble(-0.5), 3, -0.5));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("elements")
    void numbersAreConverted(ElementType type, Consumer<ByteBuffer> content, double[] numbers) {
        write(content);
        Shape shape = new Shape(numbers.length, 1);
        PtNDArray floats = EngineTensors.converted(memory, type, shape, DataType.FLOAT32, manager);
        PtNDArray doubles = EngineTensors.converted(memory, type, shape, DataType.FLOAT64, manager);
        PtNDArray longs = EngineTensors.converted(memory, type, shape, DataType.INT64, manager);
        assertThat(floats.getShape()).isEqualTo(shape);
        assertThat(EngineTensors.address(floats)).isNotEqualTo(memory.address());
        assertThat(doubles.toDoubleArray()).containsExactly(numbers);
        for (int i = 0; i < numbers.length; i++) {
            assertThat(floats.toFloatArray()[i]).isEqualTo((float) numbers[i]);
            assertThat(longs.toLongArray()[i]).isEqualTo((long) numbers[i]); // rounds towards zero
        }
    }

    @Test
    void bitsAreExpandedToZerosAndOnes() {
        write(content -> content.put((byte) 0b1000_0001)
                .put((byte) 0b1111_1101)
                .put((byte) 0)
                .put((byte) 0b0000_0010));
        PtNDArray spread = EngineTensors.spread(memory, 2, 2, 10, DataType.FLOAT32, new Shape(2, 5, 2), manager);
        assertThat(spread.getShape()).isEqualTo(new Shape(2, 5, 2));
        assertThat(spread.toFloatArray()).containsExactly(1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        assertThat(EngineTensors.spread(memory, 1, 4, 32, DataType.INT64, new Shape(32), manager)
                        .toLongArray())
                .containsExactly(
                        1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    }

    private PtNDArray dense(ElementType type, int entries, long... ends) {
        try (DeviceMemory offsets = device.memory(8L * ends.length, "offsets")) {
            write(offsets, content -> content.asLongBuffer().put(ends));
            PtNDArray dense = EngineTensors.dense(
                    memory,
                    offsets,
                    ends.length - 1,
                    entries,
                    type,
                    4,
                    DataType.FLOAT32,
                    new Shape(ends.length - 1, 2, 2),
                    manager);
            device.engine().synchronize(); // finishes the work before the offsets are closed
            return dense;
        }
    }

    @Test
    void sparseRowsAreExpandedToAllElements() {
        write(content -> content.putInt(2)
                .putShort((short) 7)
                .putInt(0)
                .putShort((short) -1)
                .putInt(3)
                .putShort((short) 300));
        PtNDArray dense = dense(ElementType.INT16, 3, 0, 1, 1, 3);
        assertThat(dense.getShape()).isEqualTo(new Shape(3, 2, 2));
        assertThat(dense.toFloatArray()).containsExactly(0, 0, 7, 0, 0, 0, 0, 0, -1, 0, 0, 300);
        assertThat(dense(ElementType.UINT16, 3, 0, 1, 1, 3).toFloatArray())
                .containsExactly(0, 0, 7, 0, 0, 0, 0, 0, 65_535, 0, 0, 300);
    }

    /** Entries have 5 and 8 bytes, so that their elements are not aligned as they would be without places. */
    @Test
    void sparseElementsMayHaveAnyWidth() {
        write(content -> content.putInt(1).put((byte) 200).putInt(3).put((byte) 9));
        assertThat(dense(ElementType.UINT8, 2, 0, 2).toFloatArray()).containsExactly(0, 200, 0, 9);
        write(content -> content.putInt(0).putFloat(0.25f).putInt(2).putFloat(-8));
        assertThat(dense(ElementType.FLOAT32, 2, 0, 0, 2).toFloatArray()).containsExactly(0, 0, 0, 0, 0.25f, 0, -8, 0);
        write(content -> content.putInt(2).putShort((short) 0x3FC0).putInt(3).putShort((short) 0xC380));
        assertThat(dense(ElementType.BFLOAT16, 2, 0, 1, 2).toFloatArray())
                .containsExactly(0, 0, 1.5f, 0, 0, 0, 0, -256);
    }

    /** The element of an entry lies after its place; a single entry is contiguous already. */
    @ParameterizedTest
    @EnumSource
    void singleSparseEntryIsExpanded(ElementType type) {
        write(content -> content.putLong(0x3F3F_3F3F_3F3F_3F3FL));
        float element = EngineTensors.converted(memory, type, new Shape(1), DataType.FLOAT32, manager)
                .toFloatArray()[0];
        write(content -> content.putInt(2).putLong(0x3F3F_3F3F_3F3F_3F3FL));
        assertThat(dense(type, 1, 0, 0, 1).toFloatArray()).containsExactly(0, 0, 0, 0, 0, 0, element, 0);
        assertThat(dense(type, 1, 0, 1).toFloatArray()).containsExactly(0, 0, element, 0);
        assertThat(element).isPositive();
    }

    @Test
    void sparseRowsWithoutAnyEntryAreZeros() {
        assertThat(dense(ElementType.FLOAT16, 0, 0, 0, 0).toFloatArray()).containsExactly(0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void numbersBeyondTheMemoryAreRefused() {
        assertThatThrownBy(() ->
                        EngineTensors.converted(memory, ElementType.FLOAT32, new Shape(17), DataType.INT64, manager))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("68 of 64");
    }
}
