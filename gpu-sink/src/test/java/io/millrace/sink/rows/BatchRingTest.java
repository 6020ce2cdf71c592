package io.millrace.sink.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.HostDevice;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.ReceivedRows;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

class BatchRingTest {
    private static final int PIXELS = 6;
    private static final BatchSpec ROWS =
            new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(2, 3, 1))));

    @Test
    void waitingAndParkedRowsAreCountedWithTheirMaxima() throws Exception {
        RankPlan plan = RankPlan.single(new BatchPlan(12, 4, false, 1, 0, 1));
        try (BatchRing ring = new BatchRing(new HostDevice(), plan, ROWS, 2, 0)) {
            ring.accept(rows(4, 5, 6));
            assertThat(ring.waitingRows()).isEqualTo(3);
            assertThat(ring.parkedBytes()).isZero();

            ring.accept(rows(8, 9, 0));
            assertThat(ring.parkedRows()).isEqualTo(2);
            assertThat(ring.parkedBytes()).as("the whole micro-batch is held").isEqualTo(3 * PIXELS);
            ring.accept(rows(1, 2, 3));
            assertThat(ring.mostWaitingRows()).isEqualTo(9);

            assertThat(ring.takeComplete()).isNotNull();
            ring.trained();
            assertThat(ring.waitingRows()).isEqualTo(5);
            assertThat(ring.parkedRows()).isZero();
            assertThat(ring.parkedBytes()).isZero();
            assertThat(ring.mostWaitingRows()).isEqualTo(9);
            assertThat(ring.mostParkedBytes()).isEqualTo(3 * PIXELS);
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** Returns rows as the network delivers them: in a received micro-batch with memory of its own. */
    private static MicroBatch rows(long... positions) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                Packer packer = new Packer(allocator, ROWS, PackLimits.ofRows(positions.length))) {
            for (long position : positions) {
                packer.add(new Sample(position, "k" + position, 0)
                        .placeAt(position, 0, Split.TRAIN)
                        .put(Sample.IMAGE, Field.image(2, 3, 1, new byte[PIXELS])));
            }
            return ReceivedRows.of(ROWS, packer);
        }
    }
}
