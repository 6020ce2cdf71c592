package io.millrace.train.gpu;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineUnderTest;
import io.millrace.train.Continuation;
import io.millrace.train.Pending;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.TrainingFigures;
import io.millrace.train.TwoTrainers;
import io.millrace.train.Vectors;
import io.millrace.train.network.Models;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several trainers of one process on one device, at the same time and one after another. */
abstract class TrainersContract {
    private static final int STEPS = 40;

    /** The smallest size of the weights, gradients and moments of the network whose trainer is opened repeatedly. */
    private static final long HELD_BYTES = 30L << 20;

    private static final int TIMES = 3;

    private final EngineUnderTest engine;
    private final long keptBytes;

    /**
     * Creates the contract for an engine.
     *
     * @param keptBytes the largest number of bytes by which the used memory of the device may grow after several
     *     trainers have been opened and closed; less than the memory of these trainers
     */
    TrainersContract(EngineUnderTest engine, long keptBytes) {
        this.engine = engine;
        this.keptBytes = keptBytes;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    @Test
    void trainingBesideAnotherTrainerEqualsTrainingAlone() throws Exception {
        TwoTrainers<List<Double>> trainers = new TwoTrainers<>(TrainingFigures.SGD, this::train);
        List<Double> mlpAlone = trainers.mlpAlone();
        List<Double> convnetAlone = trainers.convnetAlone();

        List<List<Double>> together = trainers.together();
        requireClose(together.get(0), mlpAlone);
        requireClose(together.get(1), convnetAlone);
    }

    private void requireClose(List<Double> found, List<Double> expected) {
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < found.size(); i++) {
            assertThat(found.get(i)).as("loss of step %d", i).isCloseTo(expected.get(i), within(engine.within(0)));
        }
    }

    /** Returns the losses on batches of changing size. */
    private List<Double> train(TrainSpec spec, Vectors vectors, CyclicBarrier barrier) throws Exception {
        List<Pending<StepResult>> pending = new ArrayList<>();
        try (CudaDevice device = engine.open();
                TrainStep step = TrainStep.open(spec, vectors.rows(), device);
                DeviceBatch batch = device.allocate(spec.data().input(), vectors.rows())) {
            for (int i = 0; i < STEPS; i++) {
                if (i % 10 == 0) {
                    barrier.await();
                }
                vectors.fill(batch, i, 0, vectors.rows() - i % 5);
                batch.beginUse();
                pending.add(step.enqueue(batch));
                batch.endUse();
            }
            return pending.stream().map(p -> p.result().loss()).toList();
        }
    }

    /** The first use is not counted, because the driver and the engine then load code that they keep. */
    @Test
    void closedTrainersFreeTheDevicesMemory() throws IOException {
        Continuation training = Continuation.of(
                "mlp_adam",
                part(Models.all(), "mlp", Map.of("hidden", List.of(1024L, 1024L, 1024L), "classes", 5L)),
                TrainingFigures.ADAM);
        trainAndContinue(training);
        long before = usedBytes();
        for (int again = 0; again < TIMES; again++) {
            assertThat(trainAndContinue(training) - before)
                    .as("bytes of a trainer")
                    .isGreaterThan(HELD_BYTES);
        }
        assertThat(usedBytes() - before)
                .as("bytes more than before %d trainers", TIMES)
                .isBetween(-keptBytes, keptBytes);
    }

    /** Returns the memory of the device that was used meanwhile. */
    private long trainAndContinue(Continuation training) throws IOException {
        try (CudaDevice device = engine.open();
                TrainStep step = training.open(device)) {
            Continuation.restore(step, Continuation.bytes(step));
            training.train(step, 0, 2, device);
            return device.memoryUse().usedBytes();
        }
    }

    private long usedBytes() {
        try (CudaDevice device = CudaDevice.open(0)) {
            return device.memoryUse().usedBytes();
        }
    }
}
