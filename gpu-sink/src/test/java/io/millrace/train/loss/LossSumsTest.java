package io.millrace.train.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.train.engine.TrainingRuntime;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sums of an evaluation as tensors, which have to be the numbers that the host reads. */
class LossSumsTest {
    private PtNDManager manager;

    @BeforeEach
    void open() {
        manager = TrainingRuntime.open(1);
    }

    @AfterEach
    void close() {
        manager.close();
    }

    private NDArray floats(int rows, float... values) {
        return manager.create(values, new Shape(rows, values.length / rows));
    }

    private NDArray classes(long... numbers) {
        return manager.create(numbers, new Shape(numbers.length, 1));
    }

    private static void assertSums(Loss loss, NDArray outputs, NDArray targets) {
        Loss.Sums sums = loss.sums(outputs, targets).orElseThrow();
        double expected = loss.sum(outputs, targets);
        Loss.Hits hits = loss.hits(outputs, targets);
        assertThat(expected).isPositive();
        assertThat(sums.loss().toType(DataType.FLOAT64, false).getDouble()).isCloseTo(expected, within(1e-9));
        if (hits.equals(Loss.Hits.NONE)) {
            assertThat(sums.correct()).isNull();
            assertThat(sums.counted()).isNull();
        } else {
            assertThat(Objects.requireNonNull(sums.correct()).getLong()).isEqualTo(hits.correct());
            assertThat(Objects.requireNonNull(sums.counted()).getLong()).isEqualTo(hits.counted());
        }
    }

    @Test
    void classesOfRows() {
        NDArray outputs = floats(3, 1, 2, 0, 4, 3, 1, 0, 1, 2);
        assertSums(new CrossEntropy(OptionalLong.empty()), outputs, classes(1, 0, 0));
    }

    @Test
    void classesWithAnIgnoredOne() {
        NDArray outputs = floats(3, 1, 2, 0, 4, 3, 1, 0, 1, 2);
        assertSums(new CrossEntropy(OptionalLong.of(2)), outputs, classes(1, 2, 0));
    }

    @Test
    void sharesOfClasses() {
        NDArray outputs = floats(2, 1, 2, 0, 4, 3, 1);
        assertSums(new CrossEntropy(OptionalLong.empty()), outputs, floats(2, 0.5f, 0.5f, 0, 0.9f, 0.1f, 0));
    }

    @Test
    void severalLabelsOfARow() {
        assertSums(new BinaryCrossEntropy(), floats(2, 1, -2, 0.5f, -1), floats(2, 1, 0, 0, 1));
    }

    @Test
    void numbersWithoutHits() {
        assertSums(new MeanSquaredError(), floats(2, 1, 2, 3, 4), floats(2, 0, 2, 5, 4));
    }
}
