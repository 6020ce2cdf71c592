package io.millrace.train;

import io.millrace.batch.BatchSpec;
import io.millrace.option.OptionValues;
import java.io.Serializable;
import java.util.List;

/**
 * What to train and how. Travels to the training task.
 *
 * @param input what a batch holds; the model's input is the column named "image"
 * @param deviceTransforms applied to the image column in order
 * @param schedule the learning rate over the steps
 * @param stepsPerEpoch for schedules counted in epochs
 * @param epochs how many, for schedules that end with the run
 * @param seed for the initial parameters
 * @param threads intra-operation threads of the engine, 0 for the default rule
 */
public record TrainSpec(
        BatchSpec input,
        List<Part> deviceTransforms,
        Part model,
        Part loss,
        Part optimizer,
        Part schedule,
        long stepsPerEpoch,
        int epochs,
        long seed,
        int threads)
        implements Serializable {
    public TrainSpec {
        deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** One named choice with its options, as {@code model: {mlp: {hidden: [128]}}}. */
    public record Part(String name, OptionValues options) implements Serializable {}
}
