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
 * What the batches of an update {@linkplain Weight weigh} together. What a device counted is added up there, and read only
 * where somebody has to have the number. Belongs to the trainer's thread.
 */
final class WeightSum {
    private final PtNDManager manager;
    private double known;

    /** float64 [], which is exact for whole numbers up to 2^53; null before the first batch that was counted on the device. */
    private @Nullable PtNDArray counted;

    private boolean isCounted;

    /** Of nothing; the manager owns an array of this. */
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

    /** The sum. Waits for the device where that counted. */
    double read() {
        return isCounted ? known + counted().getDouble() : known;
    }

    /** Begins anew with what weighed so much. */
    void restart(double weight) {
        known = weight;
        if (isCounted) {
            isCounted = false;
            EngineTensors.fill(counted(), 0);
        }
    }

    /** Makes the sum of gradients, each counted by its batch's weight, their mean. Waits for nothing. */
    void toMean(GradientRules gradients) {
        if (isCounted) {
            gradients.divide(counted(), known);
        } else if (known > 0 && 1 / known != 1) {
            gradients.scale(1 / known);
        }
    }
}
