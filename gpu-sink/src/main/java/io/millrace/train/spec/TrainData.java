package io.millrace.train.spec;

import io.millrace.batch.BatchSpec;
import java.io.Serializable;
import java.util.List;

/**
 * The batches that a model is trained on, and their transforms on the device.
 *
 * @param input the columns of a batch
 * @param roles the columns that are the model's inputs and its target
 * @param rowStages the transforms of samples that run on the device, before {@code transforms}
 * @param transforms the transforms of batches, in order
 */
public record TrainData(BatchSpec input, Roles roles, RowStages rowStages, List<Component> transforms)
        implements Serializable {
    public TrainData {
        transforms = List.copyOf(transforms);
    }

    /** Creates the data of a run whose transforms of samples all run on the data servers. */
    public TrainData(BatchSpec input, Roles roles, List<Component> transforms) {
        this(input, roles, RowStages.NONE, transforms);
    }

    /** Creates the data of a run on images and their labels. */
    public TrainData(BatchSpec input, List<Component> transforms) {
        this(input, Roles.DEFAULT, transforms);
    }

    /** Returns the same data with transforms of samples on the device. */
    public TrainData with(RowStages stages) {
        return new TrainData(input, roles, stages, transforms);
    }

    /** Returns the same data with other transforms of batches. */
    public TrainData withTransforms(List<Component> others) {
        return new TrainData(input, roles, rowStages, others);
    }
}
