package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.train.network.Models;
import io.millrace.train.spec.Updates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Trainings whose states are stored beside the tests, once for each version of the format. Later versions of Millrace
 * must read them, or refuse them with a message that names the reason.
 *
 * <p>The main method writes the states into the folder that is its argument, and prints their fingerprints. Do not
 * overwrite the states of an earlier version: increase the version first.
 */
public final class StoredStates {
    /**
     * One stored state.
     *
     * @param name the name of the training
     * @param updates the number of updates that the training has made
     */
    public record Stored(String name, Continuation training, int updates) {
        String file(int version) {
            return String.format(Locale.ROOT, "model_state_%d_%s.bin", version, name);
        }
    }

    /** The first four batches are two updates, of three batches and of one. The fifth batch begins the third update. */
    public static final int BATCHES_BEFORE_THE_COPY = 5;

    private StoredStates() {}

    public static List<Stored> all() throws IOException {
        return List.of(
                new Stored(
                        "mlp_adam",
                        Continuation.of(
                                "mlp_adam",
                                part(Models.all(), "mlp", Map.of("hidden", List.of(4L), "classes", 5L)),
                                TrainingFigures.ADAM),
                        3),
                new Stored(
                        "convnet_sgd",
                        Continuation.of(
                                "convnet_adam",
                                part(Models.all(), "convnet", Map.of("channels", List.of(2L, 3L), "classes", 3L)),
                                TrainingFigures.SGD_NESTEROV),
                        2),
                new Stored(
                        "torchscript_adamw",
                        Continuation.of(
                                "convnet_adam",
                                part(
                                        Models.all(),
                                        "torchscript",
                                        Map.of(
                                                "path",
                                                Vectors.file("dropout.pt").toString(),
                                                "classes",
                                                3L)),
                                TrainingFigures.ADAMW),
                        2),
                new Stored(
                        "none",
                        Continuation.of("mlp_adam", part(Models.all(), "none", Map.of()), TrainingFigures.SGD),
                        0));
    }

    /** Returns a training that was copied between the batches of its third update. Epochs have 4 batches. */
    public static Stored withinAnUpdate() throws IOException {
        Continuation training = Continuation.of(
                "mlp_adam",
                part(Models.all(), "mlp", Map.of("hidden", List.of(4L), "classes", 5L)),
                TrainingFigures.ADAM);
        Updates ofThree = new Updates(3, null);
        return new Stored(
                "mlp_adam", new Continuation(training.vectors(), training.spec().with(ofThree)), 2);
    }

    public static void main(String[] arguments) throws IOException {
        for (Stored stored : all()) {
            try (TrainStep step = stored.training.open()) {
                String sha256 = stored.training.train(step, 0, stored.updates);
                Path file = Path.of(arguments[0]).resolve(stored.file(StateHeader.VERSION));
                Files.write(file, Continuation.bytes(step));
                System.out.println(file + " " + sha256);
            }
        }
        Stored begun = withinAnUpdate();
        try (TrainStep step = begun.training.open()) {
            begun.training.train(step, 0, BATCHES_BEFORE_THE_COPY);
            Path file = Path.of(arguments[0]).resolve(begun.file(StateHeader.VERSION_WITH_GRADIENTS));
            Files.write(file, Continuation.bytes(step));
            System.out.println(file + " " + step.parametersSha256() + ", then "
                    + begun.training.train(step, BATCHES_BEFORE_THE_COPY, BATCHES_BEFORE_THE_COPY + 2));
        }
    }
}
