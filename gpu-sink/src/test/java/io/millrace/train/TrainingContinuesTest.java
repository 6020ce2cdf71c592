package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A training that continues from a copy of another training's state ends with the same bits, for every model and
 * optimizer.
 */
@ExtendWith(TestServices.class)
public class TrainingContinuesTest {
    private static final int STOP = 3;
    private static final int END = 6;

    private static final Map<String, Component> OPTIMIZERS = new TreeMap<>(Map.of(
            "sgd", TrainingFigures.SGD,
            "sgd with momentum", TrainingFigures.SGD_NESTEROV,
            "adam", TrainingFigures.ADAM,
            "adamw", TrainingFigures.ADAMW));

    public static Stream<Arguments> trainings() throws IOException {
        Map<String, Component> models = new TreeMap<>();
        models.put("mlp", part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 5L)));
        models.put("convnet", part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)));
        models.put("small resnet", part(Models.all(), "small_resnet", Map.of("classes", 3L)));
        models.put("torchscript with batch normalization", torchScript("convnet.pt"));
        models.put("torchscript with dropout", torchScript("dropout.pt"));
        models.put("none", part(Models.all(), "none", Map.of()));
        List<Arguments> trainings = new ArrayList<>();
        models.forEach((name, model) -> OPTIMIZERS.forEach((optimizer, part) -> trainings.add(
                Arguments.of(name, optimizer, name.equals("mlp") ? "mlp_adam" : "convnet_adam", model, part))));
        // The weights of this network take 45 MB, so it continues with one optimizer only.
        trainings.add(Arguments.of(
                "resnet18",
                "adam",
                "convnet_adam",
                part(Models.all(), "resnet18", Map.of("classes", 3L)),
                TrainingFigures.ADAM));
        return trainings.stream();
    }

    private static Component torchScript(String file) {
        return part(
                Models.all(), "torchscript", Map.of("path", Vectors.file(file).toString(), "classes", 3L));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("trainings")
    void trainingRestoredFromACopyEndsWithTheSameBits(
            String name, String optimizerName, String file, Component model, Component optimizer) throws IOException {
        Continuation training = Continuation.of(file, model, optimizer);
        String undisturbed;
        try (TrainStep step = training.open()) {
            undisturbed = training.train(step, 0, END);
        }
        byte[] copied;
        try (TrainStep step = training.open()) {
            String first = training.train(step, 0, STOP);
            try (ModelState state = step.snapshot()) {
                copied = Continuation.bytes(state);
                String last = training.train(step, STOP, END);
                assertThat(last).as("after a copy was made").isEqualTo(undisturbed);
                assertThat(Continuation.bytes(state)).as("the copy later").isEqualTo(copied);
                if (!name.equals("none")) {
                    assertThat(first).isNotEqualTo(last);
                }
            }
        }
        try (TrainStep step = training.open()) {
            Continuation.restore(step, copied);
            assertThat(Continuation.bytes(step)).as("a copy of the copy").isEqualTo(copied);
            assertThat(training.train(step, STOP, END)).isEqualTo(undisturbed);
        }
    }

    @Test
    void learningRateOfEpochsContinuesAtTheStep() throws IOException {
        Continuation training = Continuation.of(
                "mlp_adam",
                part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", 5L)),
                TrainingFigures.SGD_NESTEROV,
                part(Schedules.all(), "step", Map.of("every", 1L, "warm_up", 2L)));
        byte[] copied;
        String undisturbed;
        try (TrainStep step = training.open()) {
            training.train(step, 0, STOP);
            copied = Continuation.bytes(step);
            undisturbed = training.train(step, STOP, END);
        }
        try (TrainStep step = training.open()) {
            Continuation.restore(step, copied);
            assertThat(training.train(step, STOP, END)).isEqualTo(undisturbed);
        }
    }

    @Test
    void updateCountContinues() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (TrainStep step = training.open()) {
            training.train(step, 0, STOP);
            byte[] copied = Continuation.bytes(step);
            try (ModelState state = Continuation.state(copied)) {
                assertThat(StateHeader.read(state.chunks()).updates()).isEqualTo(STOP);
            }
        }
    }

    @ParameterizedTest(name = "blocks of {0} bytes, chunks of {1}")
    @MethodSource("cuts")
    void severalBlocksAndChunksGiveTheSameBitsAsOne(int blockBytes, int chunkBytes) throws IOException {
        for (Component optimizer : OPTIMIZERS.values()) {
            Continuation training = Continuation.mlp(optimizer);
            String undisturbed;
            byte[] copied;
            try (TrainStep step = training.open()) {
                training.train(step, 0, STOP);
                copied = Continuation.bytes(step);
                undisturbed = training.train(step, STOP, END);
            }
            DjlTrainStep.BlockSizes sizes = new DjlTrainStep.BlockSizes(blockBytes, chunkBytes);
            try (DjlTrainStep step = training.open(sizes);
                    TrainStep whole = training.open()) {
                assertThat(step.state().weights()).hasSizeGreaterThan(1);
                training.train(step, 0, STOP);
                try (ModelState state = step.snapshot()) {
                    assertThat(state.chunks()).hasSizeGreaterThan(10);
                    List<StateChunk> shuffled = new ArrayList<>(state.chunks());
                    Collections.reverse(shuffled);
                    whole.restore(shuffled);
                }
                assertThat(Continuation.bytes(whole)).isEqualTo(copied);
                assertThat(training.train(step, STOP, END)).isEqualTo(undisturbed);
                Continuation.restore(step, copied);
                assertThat(training.train(step, STOP, END)).isEqualTo(undisturbed);
            }
        }
    }

    static Stream<Arguments> cuts() {
        return Stream.of(Arguments.of(64, 100), Arguments.of(1024, 64), Arguments.of(2400, 333));
    }

    @Test
    void randomNumbersDependOnTheStepAndNotOnEarlierDraws() throws IOException {
        Continuation training = Continuation.of("convnet_adam", torchScript("dropout.pt"), TrainingFigures.ADAM);
        byte[] first;
        String once;
        try (TrainStep step = training.open();
                TrainStep other = training.open()) {
            first = Continuation.bytes(step);
            once = training.train(step, 4, 5);
            training.train(other, 0, 2);
            Continuation.restore(step, first);
            assertThat(training.train(step, 4, 5)).isEqualTo(once);
            Continuation.restore(step, first);
            assertThat(training.train(step, 5, 6)).isNotEqualTo(once);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MixUp", "CutMix"})
    void mixingContinuesAtTheStep(String mix) throws IOException {
        Continuation training = Continuation.of(
                        "convnet_adam",
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L), "classes", 3L)),
                        TrainingFigures.ADAM)
                .and(part(DeviceTransforms.all(), mix, Map.of()));
        byte[] copied;
        String undisturbed;
        try (TrainStep step = training.open()) {
            training.train(step, 0, STOP);
            copied = Continuation.bytes(step);
            undisturbed = training.train(step, STOP, END);
        }
        try (TrainStep step = training.open()) {
            Continuation.restore(step, copied);
            assertThat(training.train(step, STOP, END)).isEqualTo(undisturbed);
        }
    }

    @Test
    void trainersBesideEachOtherDrawTheSameNumbersAsAlone() throws Exception {
        Continuation first = Continuation.of("convnet_adam", torchScript("dropout.pt"), TrainingFigures.ADAM);
        Continuation second = first.seeded(12);
        String firstAlone = run(first, 40);
        String secondAlone = run(second, 40);
        assertThat(firstAlone).isNotEqualTo(secondAlone);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<String> beside = threads.submit(() -> run(first, 40));
            Future<String> other = threads.submit(() -> run(second, 40));
            assertThat(beside.get()).isEqualTo(firstAlone);
            assertThat(other.get()).isEqualTo(secondAlone);
        } finally {
            threads.shutdown();
        }
    }

    private static String run(Continuation training, int steps) {
        try (TrainStep step = training.open()) {
            return training.train(step, 0, steps);
        }
    }
}
