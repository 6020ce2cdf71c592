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
import java.util.function.Consumer;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors and the memory that they are, on the host and in a rehearsal. */
class EngineTensorsTest {
    private StubDriver driver;
    private PtNDManager manager;

    @BeforeEach
    void open() {
        driver = StubDriver.fresh();
        manager = (PtNDManager) Engine.getEngine("PyTorch").newBaseManager(ai.djl.Device.cpu());
    }

    @AfterEach
    void close() {
        manager.close();
        driver.assertClean("after a test");
    }

    @Test
    void theAddressOfATensorIsWhereItsValuesAre() {
        PtNDArray tensor = manager.create(new Shape(2, 3), DataType.INT32);
        for (int i = 0; i < 6; i++) {
            MemoryUtil.putInt(EngineTensors.address(tensor) + 4L * i, i * i);
        }
        assertThat(tensor.toIntArray()).containsExactly(0, 1, 4, 9, 16, 25);
        assertThat(EngineTensors.address(JniUtils.slice(tensor, 0, 1, 2, 1)) - EngineTensors.address(tensor))
                .isEqualTo(12);
    }

    @Test
    void aTensorInSeveralPlacesHasNoAddress() {
        PtNDArray across = manager.create(new Shape(2, 3), DataType.FLOAT32).transpose();
        assertThatThrownBy(() -> EngineTensors.address(across))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(3, 2) has no one place in memory");
    }

    /** More than a buffer can hold: nothing of it is touched, so it costs no memory. */
    @Test
    void aTensorOverTwoGibibytesHasAnAddressToo() {
        try (PtNDArray large = manager.create(new Shape(3L << 30), DataType.UINT8)) {
            PtNDArray last = JniUtils.slice(large, 0, (3L << 30) - 1, 3L << 30, 1);
            assertThat(EngineTensors.address(last) - EngineTensors.address(large))
                    .isEqualTo((3L << 30) - 1);
        }
    }

    @Test
    void partsOfHostMemoryAreSeenWithoutACopy() {
        try (DeviceMemory memory = new HostDevice().memory(64, "memory")) {
            PtNDArray numbers = EngineTensors.numbers(memory, 16, new Shape(2, 2), DataType.FLOAT32, manager);
            memory.slice(16, 16).putFloat(8, 1.5f);
            assertThat(numbers.toFloatArray()).containsExactly(0, 0, 1.5f, 0);
            assertThat(EngineTensors.address(numbers)).isEqualTo(memory.address() + 16);
        }
    }

    @Test
    void partsOfTheEnginesMemoryAreSeenWithoutACopy() {
        rehearsed(memory -> {
            PtNDArray numbers = EngineTensors.numbers(memory, 16, new Shape(2, 2), DataType.FLOAT32, manager);
            EngineTensors.fill(numbers, 1.5);
            assertThat(MemoryUtil.getInt(memory.address() + 16)).isEqualTo(Float.floatToRawIntBits(1.5f));
            assertThat(EngineTensors.address(numbers)).isEqualTo(memory.address() + 16);
            assertThat(EngineTensors.bytes(memory, 18, 2, manager).toByteArray())
                    .containsExactly(ByteBuffer.allocate(4).putFloat(1.5f).get(1), (byte) 0x3F);
            assertThat(EngineTensors.numbers(memory, 64, new Shape(0), DataType.INT64, manager)
                            .size())
                    .isZero();
        });
    }

    @Test
    void aTensorMovesToWhereAnotherIs() {
        rehearsed(memory -> {
            PtNDArray moved = (PtNDArray) manager.create(new float[] {1, 2});
            PtNDArray there = EngineTensors.numbers(memory, 8, new Shape(2), DataType.FLOAT32, manager);
            EngineTensors.copy(there, moved);
            EngineTensors.place(moved, there);
            there.close();
            assertThat(EngineTensors.address(moved)).isEqualTo(memory.address() + 8);
            assertThat(moved.toFloatArray()).containsExactly(1, 2);
        });
    }

    @Test
    void numbersBecomeOthers() {
        rehearsed(memory -> {
            for (int i = 0; i < 8; i++) {
                MemoryUtil.putByte(memory.address() + i, (byte) (i % 2 == 0 ? 254 : 255));
            }
            Shape four = new Shape(4, 1);
            assertThat(EngineTensors.converted(memory, ElementType.UINT8, four, DataType.FLOAT32, manager)
                            .toFloatArray())
                    .containsExactly(254, 255, 254, 255);
            assertThat(EngineTensors.converted(memory, ElementType.UINT16, four, DataType.INT64, manager)
                            .toLongArray())
                    .containsOnly(0xFFFE);
            assertThat(EngineTensors.converted(memory, ElementType.INT16, four, DataType.FLOAT32, manager)
                            .toFloatArray())
                    .containsOnly(-2);
        });
    }

    @Test
    void bitsBecomeZerosAndOnes() {
        rehearsed(memory -> {
            MemoryUtil.putByte(memory.address(), (byte) 0b1000_0001);
            MemoryUtil.putByte(memory.address() + 1, (byte) 0b1111_1101);
            MemoryUtil.putByte(memory.address() + 2, (byte) 0);
            MemoryUtil.putByte(memory.address() + 3, (byte) 0b0000_0010);
            PtNDArray spread = EngineTensors.spread(memory, 2, 2, 10, DataType.FLOAT32, new Shape(2, 5, 2), manager);
            assertThat(spread.getShape()).isEqualTo(new Shape(2, 5, 2));
            assertThat(spread.toFloatArray())
                    .containsExactly(1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        });
    }

    @Test
    void sparseRowsHaveAllTheirElements() {
        rehearsed(memory -> rehearsed(offsets -> {
            long at = memory.address(); // place, element
            for (int[] entry : new int[][] {{2, 7}, {0, -1}, {3, 300}}) {
                MemoryUtil.putInt(at, entry[0]);
                MemoryUtil.putShort(at + 4, (short) entry[1]);
                at += 6;
            }
            long[] ends = {0, 1, 1, 3};
            for (int i = 0; i < ends.length; i++) {
                MemoryUtil.putLong(offsets.address() + 8L * i, ends[i]);
            }
            PtNDArray dense = EngineTensors.dense(
                    memory, offsets, 3, 3, ElementType.INT16, 4, DataType.FLOAT32, new Shape(3, 2, 2), manager);
            assertThat(dense.getShape()).isEqualTo(new Shape(3, 2, 2));
            assertThat(dense.toFloatArray()).containsExactly(0, 0, 7, 0, 0, 0, 0, 0, -1, 0, 0, 300);
        }));
    }

    /** An entry's element lies behind its place: that of a single entry is contiguous as it is. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void sparseRowsOfFewEntriesHaveAllTheirElements(int entries) {
        float[] expected = new float[8];
        rehearsed(memory -> rehearsed(offsets -> {
            for (int i = 0; i < entries; i++) {
                MemoryUtil.putInt(memory.address() + 8L * i, 2 + i);
                MemoryUtil.putInt(memory.address() + 8L * i + 4, Float.floatToRawIntBits(7.5f + i));
                expected[4 * i + 2 + i] = 7.5f + i;
            }
            for (int row = 0; row <= 2; row++) {
                MemoryUtil.putLong(offsets.address() + 8L * row, Math.min(row, entries));
            }
            PtNDArray dense = EngineTensors.dense(
                    memory, offsets, 2, entries, ElementType.FLOAT32, 4, DataType.FLOAT32, new Shape(2, 4), manager);
            assertThat(dense.toFloatArray()).containsExactly(expected);
        }));
    }

    @ParameterizedTest
    @EnumSource
    void aSingleSparseEntryHasItsElementOfEachType(ElementType type) {
        rehearsed(memory -> rehearsed(offsets -> rehearsed(element -> {
            MemoryUtil.putInt(memory.address(), 2);
            MemoryUtil.putLong(memory.address() + 4, 0x0101_0101_0101_0101L);
            MemoryUtil.putLong(element.address(), 0x0101_0101_0101_0101L);
            MemoryUtil.putLong(offsets.address(), 0);
            MemoryUtil.putLong(offsets.address() + 8, 1);
            double expected = EngineTensors.converted(element, type, new Shape(1), DataType.FLOAT64, manager)
                    .toDoubleArray()[0];
            PtNDArray dense =
                    EngineTensors.dense(memory, offsets, 1, 1, type, 4, DataType.FLOAT64, new Shape(4), manager);
            assertThat(dense.toDoubleArray()).containsExactly(0, 0, expected, 0);
            assertThat(expected).isPositive();
        })));
    }

    @Test
    void whatIsMoreThanTheMemoryIsRefused() {
        rehearsed(memory -> assertThatThrownBy(() ->
                        EngineTensors.converted(memory, ElementType.FLOAT32, new Shape(17), DataType.INT64, manager))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("68 of 64"));
    }

    /** Each call of the driver fails once while a device of the engine's is opened and checked. */
    @Test
    void whicheverCallFailsWhenItIsOpenedNothingIsLeft() {
        boolean failed = true;
        for (int call = 1; failed; call++) {
            StubDriver stub = StubDriver.fresh(1, 50);
            stub.failAt(call, StubDriver.UNKNOWN);
            try (CudaDevice device = StubDriver.rehearse(0)) {
                device.memory(1, "memory").close();
            } catch (DeviceException e) {
                if (!String.valueOf(e.getMessage()).contains("CUDA_ERROR_UNKNOWN")) {
                    throw e;
                }
            }
            failed = stub.hasFailed();
            stub.failAt(0, 0);
            stub.assertClean("when call " + call + " fails");
        }
    }

    private static void rehearsed(Consumer<DeviceMemory> test) {
        try (CudaDevice device = StubDriver.rehearse(0);
                DeviceMemory memory = device.memory(64, "memory")) {
            test.accept(memory);
        }
    }
}
