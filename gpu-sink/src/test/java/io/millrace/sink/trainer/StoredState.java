package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatch;
import io.millrace.device.HostDevice;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.RunClock;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TrainerCounters;
import io.millrace.sink.figures.TrainerState;
import io.millrace.sink.files.QuarantinePieces;
import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateBytes.Kind;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.progress.RunLogs;
import io.millrace.sink.rows.BatchRing;
import io.millrace.train.state.StateChunk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.jspecify.annotations.Nullable;

/** A state whose serialized bytes are test resources. The main method writes these files in the current versions. */
public final class StoredState {
    static final BatchPlan PLAN = new BatchPlan(53, 8, false, 4, 11, 2);
    static final List<Long> WAITING = List.of(17L, 19L, 21L, 40L);
    static final Set<Long> BAD = Set.of(SinkFixture.index(PLAN, 19));
    static final BadSample FAILURE =
            new BadSample("decode", "data/photos", "cat/7.jpg", 123, "expected \u00abEOI\u00bb");
    static final byte[] MODEL = {3, 1, 4, 1, 5, 9, 2, 6};

    private StoredState() {}

    /** Writes the files into a directory. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        RestoredState state = state();
        Files.write(
                directory.resolve("progress-v1.bin"),
                StateBytes.wrap(Kind.PROGRESS, state.progress().json()));
        Files.write(directory.resolve("quarantine-v1.bin"), state.quarantine().get(0));
        Files.write(directory.resolve("rows-v1.bin"), state.rows().get(0));
        OperatorSnapshotUtil.writeStateHandle(
                written(), directory.resolve("operator-v1.state").toString());
    }

    public static byte[] bytes(String file) throws IOException {
        try (InputStream in = Objects.requireNonNull(StoredState.class.getResourceAsStream(file), file)) {
            return in.readAllBytes();
        }
    }

    public static Progress progress() {
        return new Progress(
                1,
                2,
                16,
                "/runs/one",
                new RunLogs.Positions(1234, 567),
                3,
                1,
                4,
                5_000_000,
                new SnapshotCost(2, 900, 1700, 30_000, 40_000),
                new TrainerState(
                        new TrainerCounters(
                                2, 16, 4096, 1_700_000_000_000L, new TrainerCounters.Times(11, 12, 13, 14, 15), 1, 8),
                        new TrainerState.Loss(0, 2.302585092994046, 16),
                        new TrainerState.Evaluation(Double.NaN, 1, 2, 3, 0.1, null),
                        TrainerState.WITHOUT_EPOCHS,
                        new RunClock.State(List.of(1.5, 1e-9), 100, 50, 16, 2, 20, 8)));
    }

    public static RestoredState state() throws Exception {
        QuarantinePieces quarantine = new QuarantinePieces();
        quarantine.add(Split.TRAIN, 7, FAILURE);
        quarantine.add(Split.EVALUATE, 8, FAILURE);
        List<byte[]> rows = new ArrayList<>();
        try (BufferAllocator allocator = new RootAllocator();
                BatchRing ring = new BatchRing(new HostDevice(), RankPlan.single(PLAN), SinkFixture.ROWS, 2, 2)) {
            MicroBatch some = SinkFixture.microBatch(allocator, PLAN, WAITING, BAD);
            ring.accept(some);
            for (byte[] piece : ring.waiting()) {
                rows.add(StateBytes.wrap(Kind.ROWS, piece));
            }
        }
        return new RestoredState(
                progress(),
                quarantine.pieces(),
                rows,
                List.of(StateChunk.of("weights", 0, MODEL.length, ByteBuffer.wrap(MODEL))));
    }

    /** Returns the state as Flink writes it. */
    public static OperatorSubtaskState written() throws Exception {
        Holder holder = new Holder();
        holder.given = state();
        OneInputStreamOperatorTestHarness<Integer, Void> harness =
                new OneInputStreamOperatorTestHarness<>(holder, 1, 1, 0);
        harness.open();
        OperatorSubtaskState written = harness.snapshot(1, 1);
        harness.close();
        return written;
    }

    /** Returns the state that {@link TrainStates} reads. */
    public static @Nullable RestoredState restored(OperatorSubtaskState state) throws Exception {
        Holder holder = new Holder();
        OneInputStreamOperatorTestHarness<Integer, Void> harness =
                new OneInputStreamOperatorTestHarness<>(holder, 1, 1, 0);
        harness.setup();
        harness.initializeState(state);
        harness.open();
        harness.close();
        return holder.found;
    }

    /** An operator that only reads and writes the training operator's state. */
    private static final class Holder extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<Integer, Void> {
        private static final long serialVersionUID = 1;

        private transient @Nullable TrainStates states;
        private transient @Nullable RestoredState given;
        private transient @Nullable RestoredState found;

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            states = new TrainStates(context.getOperatorStateStore());
            found = states.take();
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            Objects.requireNonNull(states).put(Objects.requireNonNull(given));
        }

        @Override
        public void processElement(StreamRecord<Integer> element) {}
    }
}
