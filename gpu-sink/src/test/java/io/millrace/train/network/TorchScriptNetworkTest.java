package io.millrace.train.network;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineFailureException;
import io.millrace.device.HostDevice;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.DjlTrainStep;
import io.millrace.train.DjlTrainStepTest;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.update.Optimizers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TorchScriptNetworkTest {
    @Test
    void furtherTrainingEqualsTorchWithRunningStatistics() throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        TrainSpec spec = spec(vectors, Vectors.file("convnet.pt"), 3);
        try (DjlTrainStep step = new DjlTrainStep(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            for (int i = 0; i < step.state().parameters().size(); i++) {
                NamedTensor slot = step.state().parameters().get(i);
                assertThat(Vectors.array(step.state().parameter(i).asFloatBuffer()))
                        .as(slot.name())
                        .isEqualTo(vectors.floats("initial." + slot.name()));
            }
            DjlTrainStepTest.train(step, batch, vectors);
            DjlTrainStepTest.assertWeights(step, vectors);
            // Evaluation uses the running statistics, which cannot be read one by one.
            vectors.fill(batch, 0, 0, vectors.rows());
            TrainStep.EvaluationResult evaluation = step.evaluate(batch);
            assertThat(evaluation.lossSum()).isCloseTo(vectors.doubles("evaluation.loss_sum")[0], within(1e-4));
            assertThat(evaluation.correct()).isEqualTo(vectors.longs("evaluation.correct")[0]);
        }
    }

    @Test
    void savedModuleContinuesItsTraining(@TempDir Path folder) throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        TrainSpec spec = spec(vectors, Vectors.file("convnet.pt"), 3);
        double expected;
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            DjlTrainStepTest.train(step, batch, vectors);
            step.save(folder);
            vectors.fill(batch, 0, 0, vectors.rows());
            expected = step.evaluate(batch).lossSum();
        }
        try (TrainStep step = TrainStep.open(spec(vectors, folder.resolve("model.pt"), 3), vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            vectors.fill(batch, 0, 0, vectors.rows());
            assertThat(step.evaluate(batch).lossSum()).isEqualTo(expected);
        }
    }

    /** Models that were trained on a GPU are saved in this way. */
    @Test
    void moduleCopiedToTheHostTrainsLikeItsOriginal(@TempDir Path folder) throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        Path copy = folder.resolve("copy.pt");
        try (PtNDManager manager = TrainingRuntime.open(1)) {
            TorchScriptNetwork.copyToHost(Vectors.file("convnet.pt"), copy, manager);
        }
        TrainSpec spec = spec(vectors, copy, 3);
        try (DjlTrainStep step = new DjlTrainStep(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            DjlTrainStepTest.train(step, batch, vectors);
            DjlTrainStepTest.assertWeights(step, vectors);
        }
    }

    @Test
    void fingerprintCoversRunningStatistics() throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        TrainSpec resting = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(
                        Models.all(),
                        "torchscript",
                        Map.of("path", Vectors.file("convnet.pt").toString(), "classes", 3L)),
                part(Optimizers.all(), "sgd", Map.of("learning_rate", 0L)));
        try (TrainStep step = TrainStep.open(resting, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(resting.data().input(), vectors.rows())) {
            String before = step.parametersSha256();
            assertThat(step.parametersSha256()).isEqualTo(before);
            vectors.fill(batch, 0, 0, vectors.rows());
            step.evaluate(batch);
            assertThat(step.parametersSha256()).isEqualTo(before);
            step.train(batch);
            assertThat(step.parametersSha256()).isNotEqualTo(before);
        }
    }

    @Test
    void missingFileIsNamed() throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        assertThatThrownBy(() -> TrainStep.open(spec(vectors, Path.of("nowhere.pt"), 3), 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no file")
                .hasMessageContaining("nowhere.pt");
    }

    @Test
    void fileOfAnotherFormatIsRefusedWithARemedy(@TempDir Path folder) throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        Path other = Files.writeString(folder.resolve("model.pt"), "these are not weights");
        assertThatThrownBy(() -> TrainStep.open(spec(vectors, other, 3), 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(other.toString())
                .hasMessageContaining("not a TorchScript file")
                .hasMessageContaining("torch.jit.script");
    }

    @Test
    void otherOutputsThanClassesAreRefused() throws IOException {
        Vectors vectors = Vectors.read("torchscript_adam.safetensors");
        TrainSpec spec = spec(vectors, Vectors.file("convnet.pt"), 5);
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
            vectors.fill(batch, 0, 0, vectors.rows());
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("(23, 3)")
                    .hasMessageContaining("(rows, 5)");
        }
    }

    /** PyTorch's message begins with a traceback of the module's code. */
    @Test
    void failureInTheModuleNamesItsReasonFirst() throws IOException {
        BatchSpec images = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(1, 1, 3))));
        TrainSpec spec = spec(images, Vectors.file("convnet.pt"), 3);
        try (TrainStep step = TrainStep.open(spec, 2);
                AlignedMemory pixel = AlignedMemory.allocate(3, "a row");
                DeviceBatch batch = new HostDevice().allocate(images, 2)) {
            batch.begin(0, 0, 0, Split.TRAIN, 2);
            for (int row = 0; row < 2; row++) {
                batch.filling().put(0, row, pixel.address());
                batch.filling().place(row, row, row, 0);
            }
            batch.seal();
            assertThatThrownBy(() -> step.train(batch))
                    .isInstanceOf(EngineFailureException.class)
                    .hasMessageStartingWith(
                            "a step on 2 rows of 3 bytes with the model torchscript on the host's memory failed in"
                                    + " TorchScript: Given input size: (4x1x1). Calculated output size: (4x0x0)")
                    .hasMessageContaining("in _max_pool2d: return torch.max_pool2d(input, kernel_size");
        }
    }

    private static TrainSpec spec(Vectors vectors, Path file, long classes) {
        return spec(vectors.spec(), file, classes);
    }

    private static TrainSpec spec(BatchSpec rows, Path file, long classes) {
        return TrainingFigures.spec(
                rows,
                TrainingFigures.COLOR,
                part(Models.all(), "torchscript", Map.of("path", file.toString(), "classes", classes)),
                TrainingFigures.ADAM);
    }
}
