package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BatchSpec;
import io.millrace.device.AsynchronousDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineWork;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Split;
import io.millrace.train.TrainStep.EvaluationResult;
import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.state.ModelState;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The training step whose work is done beside the thread that enqueues it. */
class AsynchronousStepTest {
    private static final Duration LONG = Duration.ofMillis(200);

    @Test
    void lossesAndParametersAreThoseOfTheHost() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        List<Double> losses;
        String parameters;
        try (TrainStep step = training.open()) {
            losses = training.train(step, 0, 12, new HostDevice());
            parameters = step.parametersSha256();
        }
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, Duration.ZERO);
                TrainStep step = training.open(device)) {
            assertThat(training.train(step, 0, 12, device)).isEqualTo(losses);
            assertThat(step.parametersSha256()).isEqualTo(parameters);
        }
    }

    @Test
    void stateContinuesOnTheHost() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        byte[] state;
        String expected;
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, Duration.ZERO);
                TrainStep step = training.open(device)) {
            training.train(step, 0, 6, device);
            state = Continuation.bytes(step);
            training.train(step, 6, 10, device);
            expected = step.parametersSha256();
        }
        try (TrainStep step = training.open()) {
            Continuation.restore(step, state);
            assertThat(training.train(step, 6, 10)).isEqualTo(expected);
        }
    }

    @Test
    void hostEnqueuesAStepAndItsResultArrivesLater() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, LONG);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(training.spec().data().input(), 6)) {
            training.vectors().fill(batch, 0, 0, 6);
            long began = System.nanoTime();
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();
            assertThat(System.nanoTime() - began).isLessThan(LONG.toNanos() / 2);
            assertThat(pending.isDone()).isFalse();

            StepResult result = pending.result();

            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LONG.toNanos());
            assertThat(result.transferNanos() + result.computeNanos()).isGreaterThanOrEqualTo(LONG.toNanos());
        }
    }

    /** The first wait of a thread loads classes. */
    @Test
    void waitingForAStepOrAnEvaluationCostsLessThanOnePercentOfACore() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, LONG);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(training.spec().data().input(), 6)) {
            for (int round = 0; round < 3; round++) {
                training.vectors().fill(batch, round, 0, 6);
                batch.beginUse();
                Pending<StepResult> trained = step.enqueue(batch);
                Pending<EvaluationResult> evaluated = step.enqueueEvaluation(batch);
                EngineWork work = batch.endUse();
                assertThat(evaluated.isDone()).isFalse();

                long cpu = threads.getCurrentThreadCpuTime();
                trained.result();
                evaluated.result();
                boolean timed = work.times().isPresent();
                long waitingCpu = threads.getCurrentThreadCpuTime() - cpu;

                assertThat(timed).isTrue();
                assertThat(round == 0 || waitingCpu < 2 * LONG.toNanos() / 100)
                        .as("%d ns of CPU time", waitingCpu)
                        .isTrue();
            }
        }
    }

    @Test
    void failureOfAStepIsThrownWithItsResult() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        BatchSpec input = training.spec().data().input();
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, Duration.ZERO);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(input, 6)) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            batch.filling().place(0, 0, 17, 5); // the model has 5 classes
            batch.seal();
            batch.beginUse();
            Pending<StepResult> pending = step.enqueue(batch);
            batch.endUse();

            assertThatThrownBy(pending::result)
                    .isInstanceOf(LabelOutOfRangeException.class)
                    .hasMessageContaining("sample 17");
        }
    }

    @Test
    void checkpointComesBackOverTheLink() throws Exception {
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        SimulatedLink link = new SimulatedLink(SimulatedLink.UNLIMITED, LONG);
        try (AsynchronousDevice device = new AsynchronousDevice(link, Duration.ZERO);
                TrainStep step = training.open(device)) {
            long began = System.nanoTime();
            try (ModelState state = step.snapshot()) {
                assertThat(state.bytes()).isPositive();
            }
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LONG.toNanos());
        }
    }
}
