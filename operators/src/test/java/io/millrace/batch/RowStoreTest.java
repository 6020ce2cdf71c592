package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.BadSample;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

class RowStoreTest {
    private static final PackLimits LIMITS = new PackLimits(64 << 20, 64, Duration.ofMillis(50));

    @AfterTry
    void noMemoryIsLeaked() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** A row of a micro-batch that has arrived. */
    private record Arrived(MicroBatch batch, int row) implements RowStore.Row {
        @Override
        public long position() {
            return batch.position(row);
        }

        @Override
        public long index() {
            return batch.index(row);
        }

        @Override
        public long label() {
            return batch.label(row);
        }

        @Override
        public @Nullable BadSample badSample() {
            return batch.badSample(row);
        }

        @Override
        public int bytes(int column) {
            return batch.bytes(column, row);
        }

        @Override
        public void copyTo(int column, long address) {
            MemoryUtil.copyMemory(batch.address(column, row), address, bytes(column));
        }
    }

    @Property(tries = 60)
    void rowsOfEveryFormAreReadFromTheirPieces(
            @ForAll("specs") BatchSpec spec, @ForAll @Size(min = 1, max = 20) List<Boolean> quarantined)
            throws IOException {
        List<byte[]> pieces;
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = new Packer(allocator, spec, LIMITS)) {
            for (int row = 0; row < quarantined.size(); row++) {
                packer.add(quarantined.get(row) ? Rows.bad(spec, row) : Rows.good(spec, row));
            }
            try (MicroBatch packed = packer.flush();
                    // Small limits, so that there are several pieces.
                    RowStore store = new RowStore(spec, new PackLimits(200, 3, Duration.ofMillis(50)))) {
                for (int row = packed.rows() - 1; row >= 0; row--) {
                    store.add(new Arrived(packed, row));
                }
                pieces = store.pieces();
            }
        }
        List<Long> positions = new ArrayList<>();
        for (byte[] piece : pieces) {
            try (MicroBatch read = RowStore.read(spec, piece)) {
                for (int row = 0; row < read.rows(); row++) {
                    positions.add(read.position(row));
                    assertThat(read.isQuarantined(row)).isEqualTo(quarantined.get((int) read.position(row)));
                    Rows.check(read, row);
                }
            }
        }
        assertThat(positions).hasSize(quarantined.size()).isSortedAccordingTo((a, b) -> Long.compare(b, a));
    }

    @Provide
    Arbitrary<BatchSpec> specs() {
        return Rows.anySpec();
    }
}
