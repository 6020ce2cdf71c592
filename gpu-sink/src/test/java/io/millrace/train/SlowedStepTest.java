package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Split;
import io.millrace.train.state.ModelState;
import io.millrace.train.state.StateChunk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SlowedStepTest {
    private static final Duration LATENCY = Duration.ofMillis(8);

    /** A step that records its calls. Its own times are 3 and 5 ns. */
    private static final class Recorded implements TrainStep {
        private boolean closed;

        @Override
        public StepResult train(DeviceBatch batch) {
            return new StepResult(0.5, 3, 5);
        }

        @Override
        public EvaluationResult evaluate(DeviceBatch batch) {
            return new EvaluationResult(1, 1, batch.rows());
        }

        @Override
        public String parametersSha256() {
            return "ab";
        }

        @Override
        public long parameterCount() {
            return 7;
        }

        @Override
        public void save(Path directory) {}

        @Override
        public ModelState snapshot() {
            return new ModelState(List.of(StateChunk.of("weights", 0, 4, ByteBuffer.allocate(4))));
        }

        @Override
        public void restore(List<StateChunk> state) {}

        @Override
        public void close() {
            closed = true;
        }
    }

    private final Recorded step = new Recorded();
    private final SlowedStep device =
            new SlowedStep(step, new SimulatedLink(SimulatedLink.UNLIMITED, LATENCY), Duration.ZERO);

    @Test
    void timeOnTheLinkCountsAsTransfer() {
        try (HostDevice host = new HostDevice();
                DeviceBatch batch = host.allocate(new BatchSpec(List.of()), 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            batch.filling().place(0, 0, 0, 0);
            batch.seal();

            TrainStep.StepResult result = device.train(batch);

            assertThat(result.transferNanos()).isGreaterThanOrEqualTo(LATENCY.toNanos() + 3);
            assertThat(result.computeNanos()).isEqualTo(5);
            assertThat(result.loss()).isEqualTo(0.5);
            assertThat(device.evaluate(batch).rows()).isEqualTo(1);
        }
    }

    @Test
    void stepLastsAtLeastAsLongAsOnASlowDevice() {
        Duration least = Duration.ofMillis(6);
        SlowedStep slow = new SlowedStep(step, SimulatedLink.NONE, least);
        try (HostDevice host = new HostDevice();
                DeviceBatch batch = host.allocate(new BatchSpec(List.of()), 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            batch.filling().place(0, 0, 0, 0);
            batch.seal();
            long began = System.nanoTime();

            TrainStep.StepResult result = slow.train(batch);

            assertThat(result.computeNanos())
                    .isGreaterThanOrEqualTo(least.toNanos())
                    .isLessThanOrEqualTo(System.nanoTime() - began + 5);
        }
    }

    @Test
    void emptyBatchNeedsNoTime() {
        SlowedStep never = new SlowedStep(
                step, new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofHours(1)), Duration.ofHours(1));
        try (HostDevice host = new HostDevice();
                DeviceBatch batch = host.allocate(new BatchSpec(List.of()), 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 0);
            batch.seal();

            TrainStep.StepResult result = never.train(batch);

            assertThat(TimeUnit.NANOSECONDS.toMinutes(result.transferNanos() + result.computeNanos()))
                    .isZero();
        }
    }

    @Test
    void checkpointComesBackOverTheLink() {
        long began = System.nanoTime();

        try (ModelState state = device.snapshot()) {
            assertThat(state.bytes()).isPositive();
        }

        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LATENCY.toNanos());
    }

    @Test
    void allOtherCallsReachTheStep() {
        assertThat(device.parameterCount()).isEqualTo(7);
        assertThat(device.parametersSha256()).isEqualTo("ab");
        device.close();
        assertThat(step.closed).isTrue();
    }
}
