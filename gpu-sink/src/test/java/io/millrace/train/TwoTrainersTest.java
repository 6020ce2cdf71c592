package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TwoTrainersTest {
    private static final int STEPS = 150;

    @Test
    void trainingBesideAnotherTrainerGivesTheBitsOfTrainingAlone() throws Exception {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec mlp = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(Models.all(), "mlp", Map.of("hidden", List.of(32L), "classes", 3L)),
                TrainingFigures.ADAMW);
        TrainSpec convnet = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                TrainingFigures.SGD_NESTEROV);
        CyclicBarrier alone = new CyclicBarrier(1);
        String mlpAlone = train(mlp, vectors, alone);
        String convnetAlone = train(convnet, vectors, alone);
        assertThat(train(mlp, vectors, alone)).isEqualTo(mlpAlone);

        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<String> first = threads.submit(() -> train(mlp, vectors, together));
            Future<String> second = threads.submit(() -> train(convnet, vectors, together));
            assertThat(first.get()).isEqualTo(mlpAlone);
            assertThat(second.get()).isEqualTo(convnetAlone);
        } finally {
            threads.shutdown();
        }
    }

    /** Trains on batches of changing size; the barrier keeps two trainers from running one after the other. */
    private static String train(TrainSpec spec, Vectors vectors, CyclicBarrier barrier) throws Exception {
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.input(), vectors.rows())) {
            for (int i = 0; i < STEPS; i++) {
                if (i % 10 == 0) {
                    barrier.await();
                }
                vectors.fill(batch, i, 0, vectors.rows() - i % 5);
                step.train(batch);
            }
            return step.parametersSha256();
        }
    }

    @Test
    void feedingOnlyMakesTheInputAndTrainsNothing() throws IOException {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec none = TrainingFigures.spec(
                vectors.spec(), TrainingFigures.COLOR, part(Models.all(), "none", Map.of()), TrainingFigures.ADAM);
        for (int i = 0; i < 3; i++) {
            try (TrainStep step = TrainStep.open(none, vectors.rows());
                    DeviceBatch batch = new HostDevice().allocate(none.input(), vectors.rows())) {
                vectors.fill(batch, 0, 0, vectors.rows());
                TrainStep.StepResult result = step.train(batch);
                assertThat(result.loss()).isNaN();
                assertThat(result.transferNanos()).isPositive();
                assertThat(step.parameterCount()).isZero();
            }
        }
    }
}
