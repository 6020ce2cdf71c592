package io.millrace.train.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.Device;
import io.millrace.train.engine.TrainingRuntime;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of operations on rows of tensors, for every device. The operations do not fail for numbers that are not
 * classes.
 */
abstract class RowTensorsContract {
    private static final OptionalLong NONE = OptionalLong.empty();

    private Device device;
    private PtNDManager manager;
    private RowTensors rows;

    /** Returns the device on which the engine computes. */
    abstract Device device();

    @BeforeEach
    void open() {
        device = device();
        manager = TrainingRuntime.open(1, device);
        rows = new RowTensors(manager);
    }

    @AfterEach
    void close() {
        rows.close();
        manager.close();
        device.close();
    }

    private PtNDArray longs(Shape shape, long... values) {
        return (PtNDArray) manager.create(values, shape);
    }

    private PtNDArray floats(Shape shape, float... values) {
        return (PtNDArray) manager.create(values, shape);
    }

    @Test
    void classNumbersBecomeZerosAndOnes() {
        PtNDArray hot = rows.oneHot(longs(new Shape(2, 2), 2, 0, 3, -1), 3, manager);
        assertThat(hot.getShape()).isEqualTo(new Shape(2, 3, 2));
        assertThat(hot.toFloatArray()).containsExactly(0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void listsOfClassNumbersBecomeZerosAndOnes() {
        PtNDArray numbers = longs(new Shape(6), 1, 1, 3, -1, 0, 2);
        PtNDArray offsets = longs(new Shape(5), 0, 2, 2, 4, 6);
        PtNDArray hot = rows.multiHot(numbers, offsets, 3, manager);
        assertThat(hot.getShape()).isEqualTo(new Shape(4, 3));
        assertThat(hot.toFloatArray()).containsExactly(0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1);
        assertThat(rows.multiHot(longs(new Shape(0)), longs(new Shape(3), 0, 0, 0), 2, manager)
                        .toFloatArray())
                .containsExactly(0, 0, 0, 0);
    }

    @Test
    void numbersOutOfRangeBecomeTheFirstClassAndAreVisibleInTheExtremes() {
        PtNDArray numbers = longs(new Shape(5), 2, 255, 0, -7, 3);
        assertThat(rows.classes(numbers, 3, OptionalLong.of(255), manager).toLongArray())
                .containsExactly(2, 255, 0, 0, 0);
        assertThat(rows.classes(numbers, 3, NONE, manager).toLongArray()).containsExactly(2, 0, 0, 0, 0);
        assertThat(rows.extremes(numbers, NONE, manager).toDoubleArray()).containsExactly(-7, 255);
        assertThat(rows.extremes(numbers, OptionalLong.of(255), manager).toDoubleArray())
                .containsExactly(-7, 3);
        assertThat(rows.extremes(longs(new Shape(2), 9, 9), OptionalLong.of(9), manager)
                        .toDoubleArray())
                .containsExactly(0, 0);
        assertThat(rows.extremes(longs(new Shape(0)), NONE, manager).toDoubleArray())
                .containsExactly(0, 0);
    }

    @Test
    void rowsAreMixedWithTheRowBefore() {
        float share = 0.7f;
        PtNDArray values = floats(new Shape(3, 2), 10, 20, 30, 40, 50, 60);
        PtNDArray mixed = rows.mixed(values, List.of(RowMixture.ofShare(share)), manager);
        assertThat(mixed.toFloatArray()).containsExactly(new float[] {22, 32, 24, 34, 44, 54}, within(1e-5f));
        PtNDArray inputs = rows.mixedInputs(floats(new Shape(2, 1), 1, 3), List.of(RowMixture.ofShare(0.5)), manager);
        assertThat(inputs.toFloatArray()).containsExactly(2, 2);
    }

    @Test
    void boxesArePastedFromTheImageBefore() {
        RowMixture mixture = new RowMixture(0.5, new RowMixture.Box(1, 0, 3, 1));
        PtNDArray images = floats(new Shape(2, 2, 3, 1), 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16);
        PtNDArray pasted = rows.mixedInputs(images, List.of(mixture), manager);
        assertThat(pasted.toFloatArray()).containsExactly(1, 12, 13, 4, 5, 6, 11, 2, 3, 14, 15, 16);
    }

    @Test
    void contiguousValuesStayInTheirOrder() {
        PtNDArray across = floats(new Shape(2, 3), 1, 2, 3, 4, 5, 6).transpose();
        assertThat(rows.contiguous(across, manager).toFloatArray()).containsExactly(1, 4, 2, 5, 3, 6);
    }
}
