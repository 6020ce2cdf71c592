package io.millrace.train.spec;

import java.io.Serializable;

/** The training of one model. Flink sends it to the training task. */
public record TrainSpec(TrainData data, Recipe recipe, RunLength length, Tuning tuning) implements Serializable {
    /** Returns the same training on other data. */
    public TrainSpec with(TrainData other) {
        return new TrainSpec(other, recipe, length, tuning);
    }

    /** Returns the same training with another recipe. */
    public TrainSpec with(Recipe other) {
        return new TrainSpec(data, other, length, tuning);
    }

    /** Returns the same training with another tuning of the engine. */
    public TrainSpec with(Tuning other) {
        return new TrainSpec(data, recipe, length, other);
    }

    /** Returns the same training with other updates. */
    public TrainSpec with(Updates others) {
        return with(recipe.with(others));
    }

    /** Returns the same training with transforms of samples on the device. */
    public TrainSpec with(RowStages stages) {
        return with(data.with(stages));
    }
}
