package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.train.network.FlatState;
import io.millrace.train.network.Models;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.ModelStateException;
import io.millrace.train.state.StateChunk;
import io.millrace.train.update.Accumulation;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ModelStateTest {
    /** The fingerprints that {@link StoredStates} printed for the files of version 1. */
    private static final Map<String, String> VERSION_1 = Map.of(
            "mlp_adam", "e2b6f7b191ad4ef409de6feb5dc391178d9936a31b434bbc1e50e483c5d97b0e",
            "convnet_sgd", "d1e3eb7bedd1449de09d2daf137035bcf5e561e691696c083eec33de46315bb9",
            "torchscript_adamw", "c79455bf6250ac7d726f48ef69b40f9272612989e35762871b5c00dbf9a7b8c7",
            "none", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    private static final String VERSION_2_BEFORE = "587a7824ddf0557e976e1c435b0446abdfb9383ca4f43d47fcc3cc106972269f";

    static Stream<StoredStates.Stored> stored() throws IOException {
        return StoredStates.all().stream();
    }

    @ParameterizedTest
    @MethodSource("stored")
    void statesOfVersion1AreRead(StoredStates.Stored stored) throws IOException {
        try (ModelState state = ModelState.read(Vectors.file(stored.file(1)));
                TrainStep step = stored.training().open()) {
            step.restore(state.chunks());
            assertThat(step.parametersSha256()).isEqualTo(VERSION_1.get(stored.name()));
            StateHeader header = StateHeader.read(state.chunks());
            assertThat(header.updates()).isEqualTo(stored.updates());
            if (!stored.name()
                    .startsWith("torchscript")) { // the engine writes the module, in the format of its version
                assertThat(Continuation.bytes(step))
                        .as("what this step would write, moments included")
                        .isEqualTo(Files.readAllBytes(Vectors.file(stored.file(1))));
            }
        }
    }

    /** Version 2 is a copy between the batches of an update. */
    @Test
    void statesOfVersion2AreReadWithTheirGradients() throws IOException {
        StoredStates.Stored stored = StoredStates.withinAnUpdate();
        try (ModelState state = ModelState.read(Vectors.file(stored.file(2)));
                TrainStep step = stored.training().open()) {
            step.restore(state.chunks());
            StateHeader header = StateHeader.read(state.chunks());
            assertThat(header.updates()).isEqualTo(stored.updates());
            assertThat(header.begun()).isEqualTo(new Accumulation.Begun(1, 3, 6, 6));
            assertThat(step.parametersSha256()).isEqualTo(VERSION_2_BEFORE);
            assertThat(Continuation.bytes(step)).isEqualTo(Files.readAllBytes(Vectors.file(stored.file(2))));
            assertContinuesAsUninterrupted(stored.training(), step);
        }
    }

    /** Compares values, not digests: the file's gradients have the roundings of the machine that wrote it. */
    private static void assertContinuesAsUninterrupted(Continuation training, TrainStep restored) {
        int end = StoredStates.BATCHES_BEFORE_THE_COPY + 2;
        training.train(restored, StoredStates.BATCHES_BEFORE_THE_COPY, end);
        try (TrainStep uninterrupted = training.open()) {
            training.train(uninterrupted, 0, end);
            FlatState expected = ((DjlTrainStep) uninterrupted).state();
            FlatState found = ((DjlTrainStep) restored).state();
            for (int i = 0; i < expected.parameters().size(); i++) {
                assertThat(Vectors.array(found.parameter(i).asFloatBuffer()))
                        .as(expected.parameters().get(i).name())
                        .containsExactly(Vectors.array(expected.parameter(i).asFloatBuffer()), within(1e-5f));
            }
        }
    }

    @Test
    void unknownVersionsAreRefusedWithBothVersions(@TempDir Path folder) throws IOException {
        byte[] written = Files.readAllBytes(Vectors.file("model_state_1_mlp_adam.bin"));
        ByteBuffer.wrap(written).putInt(4, 2);
        Path file = Files.write(folder.resolve("state"), written);
        assertThatThrownBy(() -> ModelState.read(file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("has version 2, this Millrace reads version 1");
    }

    @Test
    void headerOfAnUnknownVersionIsRefusedWithBothVersions() throws IOException {
        assertRefused(
                header -> header.replace("\"version\":1", "\"version\":12"),
                "has version 12, this Millrace reads versions 1 and 2");
    }

    @Test
    void damagedHeaderIsRefusedWithItsContent() throws IOException {
        assertRefused(header -> "{}" + header, "expected a header in JSON, found {}{");
        assertRefused(header -> header.replace("moments", "monuments"), "expected a header in JSON");
        assertRefused(header -> header.replace("\"moments\":2", "\"moments\":\"two\""), "expected a header in JSON");
    }

    @Test
    void fileOfAnotherFormatIsRefused(@TempDir Path folder) throws IOException {
        Path other = Files.writeString(folder.resolve("state"), "{\"model\": 1}");
        assertThatThrownBy(() -> ModelState.read(other).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(other.toString())
                .hasMessageContaining("expected a model's state");
    }

    @Test
    void stateThatEndsTooEarlyIsRefused() throws IOException {
        byte[] written = Files.readAllBytes(Vectors.file("model_state_1_mlp_adam.bin"));
        for (int length = 0; length < written.length; length++) {
            byte[] cut = Arrays.copyOf(written, length);
            assertThatThrownBy(() -> Continuation.state(cut).close())
                    .as("%d of %d bytes", length, written.length)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too short: expected");
        }
    }

    @Test
    void dataAfterTheStateStayInTheStream() throws IOException {
        byte[] written = Files.readAllBytes(Vectors.file("model_state_1_mlp_adam.bin"));
        byte[] longer = Arrays.copyOf(written, written.length + 1);
        longer[written.length] = 5;
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(longer));
        ModelState.read(in).close();
        assertThat(in.read()).isEqualTo(5);
    }

    @Test
    void missingAndRepeatedChunksAreRefusedWithTheirOffset() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        DjlTrainStep.BlockSizes sizes = new DjlTrainStep.BlockSizes(1 << 20, 1000);
        try (DjlTrainStep step = training.open(sizes);
                ModelState state = step.snapshot()) {
            String before = step.parametersSha256();
            for (int i = 0; i < state.chunks().size(); i++) {
                StateChunk chunk = state.chunks().get(i);
                List<StateChunk> fewer = new ArrayList<>(state.chunks());
                fewer.remove(i);
                assertThatThrownBy(() -> step.restore(fewer))
                        .as("without %s at %d", chunk.section(), chunk.offset())
                        .isInstanceOf(ModelStateException.class)
                        .hasMessageContaining("'" + chunk.section() + "'");
                List<StateChunk> more = new ArrayList<>(state.chunks());
                more.add(chunk);
                assertThatThrownBy(() -> step.restore(more))
                        .isInstanceOf(ModelStateException.class)
                        .hasMessageContaining("found a chunk at " + chunk.offset());
            }
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    @Test
    void stateOfAnotherModelOrOptimizerIsRefusedWithBothNames() throws IOException {
        byte[] written;
        try (TrainStep step = Continuation.mlp(TrainingFigures.ADAM).open()) {
            written = Continuation.bytes(step);
        }
        assertRefused(
                written,
                Continuation.mlp(TrainingFigures.ADAMW),
                "the state is of the optimizer 'adam', but the run has 'adamw'");
        assertRefused(
                written,
                Continuation.mlp(TrainingFigures.SGD),
                "the state is of the optimizer 'adam', but the run has 'sgd'");
        assertRefused(
                written,
                mlp(List.of(16L, 9L)),
                "its parameter 3 is 'fc2.weight' of [8, 16], the run's is 'fc2.weight' of [9, 16]");
        assertRefused(written, mlp(List.of(16L)), "its parameter 3 is 'fc2.weight' of [8, 16], the run's is ");
        assertRefused(written, mlp(List.of(16L, 8L, 8L)), "the run's is 'fc3.weight' of [8, 8]");
        assertRefused(
                written,
                Continuation.of(
                        "convnet_adam",
                        part(Models.all(), "convnet", Map.of("channels", List.of(4L), "classes", 3L)),
                        TrainingFigures.ADAM),
                "the state is of the model 'mlp', but the run has 'convnet'");
        assertRefused(
                written,
                Continuation.of("mlp_adam", part(Models.all(), "none", Map.of()), TrainingFigures.ADAM),
                "the state is of the model 'mlp', but the run has 'none'");
        try (TrainStep step = Continuation.mlp(TrainingFigures.SGD_NESTEROV).open()) {
            assertRefused(
                    Continuation.bytes(step),
                    Continuation.mlp(TrainingFigures.SGD),
                    "an optimizer with 1 moments, but the run has 0 moments");
        }
    }

    @Test
    void stateFileIsReadAgain(@TempDir Path folder) throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        Path file = folder.resolve("state");
        try (TrainStep step = training.open()) {
            training.train(step, 0, 2);
            try (ModelState state = step.snapshot()) {
                state.write(file);
                state.write(file);
            }
            try (ModelState read = ModelState.read(file)) {
                assertThat(Continuation.bytes(read)).isEqualTo(Continuation.bytes(step));
            }
        }
    }

    private static Continuation mlp(List<Long> hidden) throws IOException {
        return Continuation.of(
                "mlp_adam", part(Models.all(), "mlp", Map.of("hidden", hidden, "classes", 5L)), TrainingFigures.ADAM);
    }

    private static void assertRefused(byte[] written, Continuation run, String message) throws IOException {
        try (ModelState state = Continuation.state(written);
                TrainStep step = run.open()) {
            String before = step.parametersSha256();
            assertThatThrownBy(() -> step.restore(state.chunks()))
                    .isInstanceOf(ModelStateException.class)
                    .hasMessageContaining(message);
            assertThat(step.parametersSha256()).isEqualTo(before);
        }
    }

    /** Changes the header of a good state. */
    private static void assertRefused(UnaryOperator<String> change, String message) throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (TrainStep step = training.open();
                ModelState state = step.snapshot()) {
            StateChunk header = state.chunks().get(0);
            ByteBuffer content = ByteBuffer.allocate(header.bytes());
            header.copy(0, content);
            byte[] changed = change.apply(new String(content.array(), StandardCharsets.UTF_8))
                    .getBytes(StandardCharsets.UTF_8);
            List<StateChunk> chunks = new ArrayList<>(state.chunks());
            try (StateChunk other = StateChunk.of(header.section(), 0, changed.length, ByteBuffer.wrap(changed))) {
                chunks.set(0, other);
                assertThatThrownBy(() -> step.restore(chunks))
                        .isInstanceOf(ModelStateException.class)
                        .hasMessageContaining(message);
            }
        }
    }
}
