package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.engine.Engine;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tensors and their memory on the host. */
class EngineTensorsTest {
    private PtNDManager manager;

    @BeforeEach
    void open() {
        manager = (PtNDManager) Engine.getEngine("PyTorch").newBaseManager(ai.djl.Device.cpu());
    }

    @AfterEach
    void close() {
        manager.close();
    }

    @Test
    void addressOfATensorIsThatOfItsValues() {
        PtNDArray tensor = manager.create(new Shape(2, 3), DataType.INT32);
        for (int i = 0; i < 6; i++) {
            MemoryUtil.putInt(EngineTensors.address(tensor) + 4L * i, i * i);
        }
        assertThat(tensor.toIntArray()).containsExactly(0, 1, 4, 9, 16, 25);
        assertThat(EngineTensors.address(JniUtils.slice(tensor, 0, 1, 2, 1)) - EngineTensors.address(tensor))
                .isEqualTo(12);
    }

    @Test
    void tensorThatIsNotContiguousHasNoAddress() {
        PtNDArray across = manager.create(new Shape(2, 3), DataType.FLOAT32).transpose();
        assertThatThrownBy(() -> EngineTensors.address(across))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(3, 2) is not contiguous in memory");
    }

    /** The tensor is larger than a buffer can be; it is never accessed, so it needs no memory. */
    @Test
    void tensorOfMoreThanTwoGibibytesHasAnAddress() {
        try (PtNDArray large = manager.create(new Shape(3L << 30), DataType.UINT8)) {
            PtNDArray last = JniUtils.slice(large, 0, (3L << 30) - 1, 3L << 30, 1);
            assertThat(EngineTensors.address(last) - EngineTensors.address(large))
                    .isEqualTo((3L << 30) - 1);
        }
    }

    @Test
    void viewsOfHostMemoryNeedNoCopy() {
        try (DeviceMemory memory = new HostDevice().memory(64, "memory")) {
            PtNDArray numbers = EngineTensors.numbers(memory, 16, new Shape(2, 2), DataType.FLOAT32, manager);
            memory.slice(16, 16).putFloat(8, 1.5f);
            assertThat(numbers.toFloatArray()).containsExactly(0, 0, 1.5f, 0);
            assertThat(EngineTensors.address(numbers)).isEqualTo(memory.address() + 16);
        }
    }

    @Test
    void numbersAndBitsInHostMemoryAreConverted() {
        try (DeviceMemory memory = new HostDevice().memory(64, "memory")) {
            MemoryUtil.putByte(memory.address(), (byte) 0b1000_0001);
            MemoryUtil.putByte(memory.address() + 1, (byte) 0b0000_0010);
            PtNDArray bytes = EngineTensors.converted(
                    memory, EngineTensors.ElementType.UINT8, new Shape(2), DataType.FLOAT32, manager);
            assertThat(bytes.toFloatArray()).containsExactly(129, 2);
            PtNDArray bits = EngineTensors.spread(memory, 2, 1, 8, DataType.UINT8, new Shape(2, 8), manager);
            assertThat(bits.toUint8Array()).containsExactly(1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0);
        }
    }
}
