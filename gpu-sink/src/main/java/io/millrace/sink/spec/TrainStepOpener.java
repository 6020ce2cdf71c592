package io.millrace.sink.spec;

import io.millrace.device.Device;
import io.millrace.train.TrainStep;
import io.millrace.train.spec.TrainSpec;
import java.io.Serializable;

/** A factory for the training step, called on the trainer's thread: DJL's step in a run, a fake one in tests. */
public interface TrainStepOpener extends Serializable {
    /**
     * Opens a step for batches of up to {@code capacity} rows.
     *
     * @param device the device that holds the batches; the caller owns it
     * @throws Exception when the model cannot be created; the message is for the user
     */
    TrainStep open(TrainSpec spec, int capacity, Device device) throws Exception;
}
