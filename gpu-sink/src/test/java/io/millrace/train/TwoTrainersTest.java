package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.train.network.Models;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class TwoTrainersTest {
    private static final int STEPS = 150;

    @Test
    void trainingBesideAnotherTrainerGivesTheSameBitsAsAlone() throws Exception {
        TwoTrainers<String> trainers = new TwoTrainers<>(TrainingFigures.ADAMW, TwoTrainersTest::train);
        String mlpAlone = trainers.mlpAlone();
        String convnetAlone = trainers.convnetAlone();
        assertThat(trainers.mlpAlone()).isEqualTo(mlpAlone);

        assertThat(trainers.together()).containsExactly(mlpAlone, convnetAlone);
    }

    /** Trains on batches of changing size. */
    private static String train(TrainSpec spec, Vectors vectors, CyclicBarrier barrier) throws Exception {
        try (TrainStep step = TrainStep.open(spec, vectors.rows());
                DeviceBatch batch = new HostDevice().allocate(spec.data().input(), vectors.rows())) {
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
    void feedOnlyStepMakesInputsAndTrainsNothing() throws IOException {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec none = TrainingFigures.spec(
                vectors.spec(), TrainingFigures.COLOR, part(Models.all(), "none", Map.of()), TrainingFigures.ADAM);
        for (int i = 0; i < 3; i++) {
            try (TrainStep step = TrainStep.open(none, vectors.rows());
                    DeviceBatch batch = new HostDevice().allocate(none.data().input(), vectors.rows())) {
                vectors.fill(batch, 0, 0, vectors.rows());
                TrainStep.StepResult result = step.train(batch);
                assertThat(result.loss()).isNaN();
                assertThat(result.transferNanos()).isPositive();
                assertThat(step.parameterCount()).isZero();
            }
        }
    }
}
