package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.batch.BatchSpec;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.util.List;
import java.util.Map;

/** The specifications that the tests train with. */
public final class TrainingFigures {
    public static final List<Component> GRAY = List.of(
            part(DeviceTransforms.all(), "ToFloat", Map.of("scale", 255L)),
            part(DeviceTransforms.all(), "Normalize", Map.of("mean", List.of(0.1307), "std", List.of(0.3081))));
    public static final List<Component> COLOR = List.of(
            part(DeviceTransforms.all(), "ToFloat", Map.of()),
            part(
                    DeviceTransforms.all(),
                    "Normalize",
                    Map.of("mean", List.of(0.485, 0.456, 0.406), "std", List.of(0.229, 0.224, 0.225))));
    public static final Component SGD = part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1));
    public static final Component SGD_NESTEROV = part(
            Optimizers.all(),
            "sgd",
            Map.of("learning_rate", 0.05, "momentum", 0.9, "weight_decay", 0.01, "nesterov", true));
    public static final Component ADAM =
            part(Optimizers.all(), "adam", Map.of("learning_rate", 0.01, "weight_decay", 0.01));
    public static final Component ADAMW = part(
            Optimizers.all(), "adamw", Map.of("learning_rate", 0.01, "betas", List.of(0.8, 0.99), "epsilon", 1e-6));
    public static final Component CROSS_ENTROPY = part(Losses.all(), "cross_entropy", Map.of());
    public static final Component CONSTANT = part(Schedules.all(), "constant", Map.of());

    private TrainingFigures() {}

    public static TrainSpec spec(BatchSpec input, List<Component> transforms, Component model, Component optimizer) {
        return spec(input, transforms, model, CROSS_ENTROPY, optimizer);
    }

    public static TrainSpec spec(
            BatchSpec input, List<Component> transforms, Component model, Component loss, Component optimizer) {
        return new TrainSpec(
                new TrainData(input, transforms),
                new Recipe(model, loss, optimizer, CONSTANT, 11),
                new RunLength(100, 1),
                Tuning.ofThreads(1));
    }
}
