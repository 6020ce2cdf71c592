package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SimulatedTransferTest {
    private static final Duration LATENCY = Duration.ofMillis(8);

    /** Says what it was called for; its own times are 3 and 5 ns. */
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
    private final SimulatedTransfer transfer =
            new SimulatedTransfer(step, new SimulatedLink(SimulatedLink.UNLIMITED, LATENCY));

    @Test
    void timeOnTheLinkCountsAsTransfer() {
        try (HostDevice device = new HostDevice();
                DeviceBatch batch = device.allocate(new BatchSpec(List.of()), 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 1);
            batch.place(0, 0, 0, 0);
            batch.seal();

            TrainStep.StepResult result = transfer.train(batch);

            assertThat(result.transferNanos()).isGreaterThanOrEqualTo(LATENCY.toNanos() + 3);
            assertThat(result.computeNanos()).isEqualTo(5);
            assertThat(result.loss()).isEqualTo(0.5);
            assertThat(transfer.evaluate(batch).rows()).isEqualTo(1);
        }
    }

    @Test
    void emptyBatchNeedsNoTransfer() {
        SimulatedTransfer never =
                new SimulatedTransfer(step, new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofHours(1)));
        try (HostDevice device = new HostDevice();
                DeviceBatch batch = device.allocate(new BatchSpec(List.of()), 1)) {
            batch.begin(0, 0, 0, Split.TRAIN, 0);
            batch.seal();

            assertThat(TimeUnit.NANOSECONDS.toMinutes(never.train(batch).transferNanos()))
                    .isZero();
        }
    }

    @Test
    void checkpointComesBackOverTheLink() {
        long began = System.nanoTime();

        try (ModelState state = transfer.snapshot()) {
            assertThat(state.bytes()).isPositive();
        }

        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(LATENCY.toNanos());
    }

    @Test
    void allElseIsTheStepsOwn() {
        assertThat(transfer.parameterCount()).isEqualTo(7);
        assertThat(transfer.parametersSha256()).isEqualTo("ab");
        transfer.close();
        assertThat(step.closed).isTrue();
    }
}
