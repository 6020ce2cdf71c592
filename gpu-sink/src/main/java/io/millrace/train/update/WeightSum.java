package io.millrace.train.update;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.EngineTensors;
import io.millrace.train.loss.Weight;
import org.jspecify.annotations.Nullable;

/**
 * The sum of the {@linkplain Weight weights} of an update's batches. Weights that a device counts are summed on the
 * device, and the sum is read only if the number is required. Belongs to the trainer's thread.
 */
final class WeightSum {
    private final PtNDManager manager;
    private double known;

    /**
     * The sum of counted weights, float64 [], which is exact for whole numbers up to 2^53; null before the first batch that
     * was counted on the device.
     */
    private @Nullable PtNDArray counted;

    private boolean isCounted;

    /** Creates an empty sum. The manager owns its array. */
    WeightSum(PtNDManager manager) {
        this.manager = manager;
    }

    void add(Weight weight) {
        if (weight instanceof Weight.Counted more) {
            JniUtils.addi(counted(), more.number().toType(DataType.FLOAT64, false));
            isCounted = true;
        } else {
            known += weight.read().value();
        }
    }

    private PtNDArray counted() {
        PtNDArray sum = counted;
        if (sum == null) {
            sum = (PtNDArray) manager.zeros(new Shape(), DataType.FLOAT64);
            counted = sum;
        }
        return sum;
    }

    /** Returns the sum. This waits for the device if the device has counted. */
    double read() {
        return isCounted ? known + readCounted() : known;
    }

    /**
     * Reads the array through a manager of its own. To read an array of a GPU, DJL makes a manager below the array's
     * manager. Such a manager stays open until the array's manager is closed.
     */
    private double readCounted() {
        try (PtNDManager reading = manager.newSubManager(manager.getDevice())) {
            PtNDArray copy = (PtNDArray) counted().duplicate();
            copy.attach(reading);
            return copy.getDouble();
        }
    }

    /** Starts again with a weight. */
    void restart(double weight) {
        known = weight;
        if (isCounted) {
            isCounted = false;
            EngineTensors.fill(counted(), 0);
        }
    }

    /**
     * Turns the sum of gradients, in which each batch's gradient is multiplied by its weight, into the mean. Does not
     * wait for the device.
     */
    void toMean(GradientRules gradients) {
        if (isCounted) {
            gradients.divide(counted(), known);
        } else if (known > 0 && 1 / known != 1) {
            gradients.scale(1 / known);
        }
    }
}
