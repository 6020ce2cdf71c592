package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.batch.BatchSpec;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.util.List;
import java.util.Map;

/** The specifications that the tests train with. */
public final class TrainingFigures {
    public static final List<TrainSpec.Part> GRAY = List.of(
            part(DeviceTransforms.all(), "ToFloat", Map.of("scale", 255L)),
            part(DeviceTransforms.all(), "Normalize", Map.of("mean", List.of(0.1307), "std", List.of(0.3081))));
    public static final List<TrainSpec.Part> COLOR = List.of(
            part(DeviceTransforms.all(), "ToFloat", Map.of()),
            part(
                    DeviceTransforms.all(),
                    "Normalize",
                    Map.of("mean", List.of(0.485, 0.456, 0.406), "std", List.of(0.229, 0.224, 0.225))));
    public static final TrainSpec.Part SGD = part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1));
    public static final TrainSpec.Part SGD_NESTEROV = part(
            Optimizers.all(),
            "sgd",
            Map.of("learning_rate", 0.05, "momentum", 0.9, "weight_decay", 0.01, "nesterov", true));
    public static final TrainSpec.Part ADAM =
            part(Optimizers.all(), "adam", Map.of("learning_rate", 0.01, "weight_decay", 0.01));
    public static final TrainSpec.Part ADAMW = part(
            Optimizers.all(), "adamw", Map.of("learning_rate", 0.01, "betas", List.of(0.8, 0.99), "epsilon", 1e-6));
    public static final TrainSpec.Part CROSS_ENTROPY = part(Losses.all(), "cross_entropy", Map.of());
    public static final TrainSpec.Part CONSTANT = part(Schedules.all(), "constant", Map.of());

    private TrainingFigures() {}

    public static TrainSpec spec(
            BatchSpec input, List<TrainSpec.Part> transforms, TrainSpec.Part model, TrainSpec.Part optimizer) {
        return spec(input, transforms, model, CROSS_ENTROPY, optimizer);
    }

    public static TrainSpec spec(
            BatchSpec input,
            List<TrainSpec.Part> transforms,
            TrainSpec.Part model,
            TrainSpec.Part loss,
            TrainSpec.Part optimizer) {
        return new TrainSpec(
                input, transforms, model, loss, optimizer, CONSTANT, 100, 1, 11, TrainSpec.Tuning.ofThreads(1));
    }
}
