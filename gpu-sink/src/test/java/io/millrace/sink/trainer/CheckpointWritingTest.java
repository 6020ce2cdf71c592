package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatch;
import io.millrace.order.BatchPlan;
import io.millrace.sink.ChainStep;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RunnableFuture;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.core.testutils.OneShotLatch;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.util.BlockerCheckpointStreamFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the operator's state is written to its storage while training continues. */
class CheckpointWritingTest {
    private static final BatchPlan PLAN = new BatchPlan(40, 8, false, 3, 0, 1);

    @TempDir
    Path folder;

    @Test
    void trainingContinuesWhileTheStorageHangsAndTheStateIsThatOfTheBarrier() throws Exception {
        BlockerCheckpointStreamFactory storage = new BlockerCheckpointStreamFactory(1 << 20);
        OneShotLatch release = new OneShotLatch();
        OneShotLatch writing = new OneShotLatch();
        storage.setBlockerLatch(release);
        storage.setWaiterLatch(writing);
        try (BufferAllocator allocator = new RootAllocator()) {
            OneInputStreamOperatorTestHarness<MicroBatch, Void> harness = harness("run");
            harness.open();
            feed(harness, allocator, 0, 21);
            harness.prepareSnapshotPreBarrier(1);
            RunnableFuture<SnapshotResult<OperatorStateHandle>> write = harness.getOperator()
                    .snapshotState(1, 1, CheckpointOptions.forCheckpointWithDefaultLocation(), storage)
                    .getOperatorStateManagedFuture();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(write);
            writing.await();

            feed(harness, allocator, 21, 100);
            harness.prepareSnapshotPreBarrier(2); // returns when all complete batches have been trained on
            assertThat(write).isNotDone();
            release.trigger();
            writer.get();
            harness.notifyOfCompletedCheckpoint(1);
            feed(harness, allocator, 100, (int) PLAN.positions());
            harness.endInput();
            harness.close();

            OneInputStreamOperatorTestHarness<MicroBatch, Void> next = harness("next");
            next.setup();
            next.initializeState(OperatorSubtaskState.builder()
                    .setManagedOperatorState(write.get().getJobManagerOwnedSnapshot())
                    .build());
            next.open();
            feed(next, allocator, 21, (int) PLAN.positions());
            next.endInput();
            next.close();
        }
        assertThat(folder.resolve("next/model/digest.txt"))
                .hasSameTextualContentAs(folder.resolve("run/model/digest.txt"));
        assertThat(folder.resolve("next/ledger.csv")).hasSameTextualContentAs(folder.resolve("run/ledger.csv"));
    }

    private OneInputStreamOperatorTestHarness<MicroBatch, Void> harness(String run) throws Exception {
        SinkSpec spec = SinkFixture.spec(
                PLAN, (s, capacity, device) -> new ChainStep(), 3, 1, Files.createDirectories(folder.resolve(run)));
        return new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec), 1, 1, 0);
    }

    private static void feed(
            OneInputStreamOperatorTestHarness<MicroBatch, Void> harness, BufferAllocator allocator, int from, int to)
            throws Exception {
        for (int at = from; at < to; at += 5) {
            List<Long> some = LongStream.range(at, Math.min(to, at + 5)).boxed().toList();
            harness.processElement(new StreamRecord<>(SinkFixture.microBatch(allocator, PLAN, some, Set.of())));
        }
    }
}
