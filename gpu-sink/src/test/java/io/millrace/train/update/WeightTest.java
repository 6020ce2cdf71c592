package io.millrace.train.update;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.Device;
import io.millrace.device.HostDevice;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.loss.CrossEntropy;
import io.millrace.train.loss.MeanSquaredError;
import io.millrace.train.loss.Weight;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The weights of batches, counted by the host or by the engine. */
class WeightTest {
    private Device device;
    private PtNDManager manager;

    /** Opens the device whose memory holds the targets. */
    Device device() {
        return new HostDevice();
    }

    @BeforeEach
    void open() {
        device = device();
        manager = TrainingRuntime.open(1, device);
    }

    @AfterEach
    void close() {
        manager.close();
        device.close();
    }

    private PtNDArray classes(long... numbers) {
        return (PtNDArray) manager.create(numbers, new Shape(numbers.length, 1));
    }

    @Test
    void engineCountsTargetsWithoutTheIgnoredClassAndNobodyReadsThem() {
        Weight weight = new CrossEntropy(OptionalLong.of(2)).weight(classes(0, 2, 1, 2, 2));
        assertThat(weight).isInstanceOf(Weight.Counted.class);
        assertThat(weight.read()).isEqualTo(new Weight.Known(2));
        assertThat(weight.gradient((PtNDArray) manager.create(1f)).getFloat()).isEqualTo(2f);
    }

    @Test
    void weightWithoutAnIgnoredClassIsTheNumberOfRows() {
        assertThat(new CrossEntropy(OptionalLong.empty()).weight(classes(0, 2, 1)))
                .isEqualTo(new Weight.Known(3));
        assertThat(new MeanSquaredError().weight(classes(0, 2))).isEqualTo(new Weight.Known(2));
    }

    /** Each copy of a state reads the sum. The manager lives as long as the training. On a GPU, DJL copies what is read. */
    @Test
    void readingLeavesNothingWithTheManager() {
        WeightSum sum = new WeightSum(manager);
        sum.add(new Weight.Counted((PtNDArray) manager.create(5L)));
        assertThat(sum.read()).isEqualTo(5);
        int before = manager.getManagedArrays().size();
        for (int i = 0; i < 10; i++) {
            assertThat(sum.read()).isEqualTo(5);
        }
        assertThat(manager.getManagedArrays()).hasSize(before);
    }

    @Test
    void knownAndCountedWeightsAddUp() {
        WeightSum sum = new WeightSum(manager);
        assertThat(sum.read()).isZero();
        sum.add(new Weight.Known(3));
        sum.add(new Weight.Counted((PtNDArray) manager.create(5L)));
        sum.add(Weight.NOTHING);
        sum.add(new Weight.Counted((PtNDArray) manager.create(7L)));
        assertThat(sum.read()).isEqualTo(15);
        sum.restart(2);
        assertThat(sum.read()).isEqualTo(2);
        sum.add(new Weight.Counted((PtNDArray) manager.create(1L)));
        assertThat(sum.read()).isEqualTo(3);
    }
}
