package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.sample.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The cost of closing the gaps of bad rows, in copies within the device. */
@ExtendWith(StubDriver.Needed.class)
class DenseRowsTest {
    private static final BatchSpec.Column COLUMN = new BatchSpec.Column("token", DType.INT32, List.of());
    private static final int OUT_OF_MEMORY = 2;
    private static final int MANY = 1 << 14;

    @Test
    void oneBadRowCostsAFewCopiesHoweverManyRowsFollow() {
        assertThat(copiesFor(MANY, 1)).isEqualTo(2 * 16);
        assertThat(copiesFor(MANY, 0)).as("the first").isEqualTo(2 * 16);
        assertThat(copiesFor(MANY, MANY - 1)).as("the last").isZero();
        assertThat(copiesFor(MANY, MANY - 2)).as("the last but one").isEqualTo(1);
    }

    @Test
    void rowsMoveInOneCopyIfTheGapIsAsLarge() {
        assertThat(copiesFor(10, 0, 1, 2, 3, 4)).isEqualTo(1);
        assertThat(copiesFor(10, 0, 1, 2)).as("seven rows in pieces of three").isEqualTo(3);
    }

    @Test
    void smallBatchIsMovedRowByRow() {
        assertThat(copiesFor(10, 0)).isEqualTo(9);
    }

    /**
     * Seals a batch of {@code rows} rows without the given ones, compares the rest, and returns the number of copies.
     */
    private static long copiesFor(int rows, int... bad) {
        BitSet missing = new BitSet();
        for (int row : bad) {
            missing.set(row);
        }
        return seal(rows, missing);
    }

    @Test
    void rowsKeepTheirOrderWithFewCopiesWhereverTheGapsAre() {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            int rows = 1 + random.nextInt(700);
            BitSet missing = new BitSet();
            for (int i = random.nextInt(13); i > 0; i--) {
                missing.set(random.nextInt(rows));
            }
            // Through the spare rows, at least 3 of up to 63: 2 x 21 copies, and up to 2 more for the rest of each run.
            assertThat(seal(rows, missing))
                    .as("with %d rows and seed %d", rows, seed)
                    .isLessThanOrEqualTo(2 * (21 + missing.cardinality() + 1L) + 4);
        }
    }

    @Test
    void rowsAreGatheredInPageableMemoryWhereNoMoreCanBePageLocked() {
        int rows = 64;
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                AlignedMemory source = device.pageLocked((long) rows * Integer.BYTES, "a source");
                DenseRows dense = new DenseRows(device, "rows", COLUMN, rows, null)) {
            dense.begin();
            for (int row = 0; row < rows; row++) {
                source.buffer().putInt(row * Integer.BYTES, row);
            }
            driver.failAt(2, OUT_OF_MEMORY); // the first call enters the context
            for (int row = 0; row < rows; row += 2) {
                dense.putPiece(row, 2, source.address() + at(row), rows);
            }
            assertThat(driver.hasFailed()).isTrue();
            assertThat(dense.copyGathered()).isEqualTo(at(rows));
            assertThat(driver.pageableCopies()).isOne();

            boolean[] present = new boolean[rows];
            Arrays.fill(present, true);
            dense.fetch(present, rows);
            device.copies().synchronize();
            for (int row = 0; row < rows; row++) {
                dense.copyTo(row, source.address());
                assertThat(source.buffer().getInt(0)).isEqualTo(row);
            }
        }
        driver.assertClean("after gathering");
    }

    private static long at(int row) {
        return (long) row * Integer.BYTES;
    }

    private static long seal(int rows, BitSet missing) {
        StubDriver driver = StubDriver.fresh();
        long copies;
        try (CudaDevice device = CudaDevice.open(0);
                AlignedMemory source = device.pageLocked((long) rows * Integer.BYTES, "a source");
                DenseRows dense = new DenseRows(device, "rows", COLUMN, rows, null)) {
            List<Integer> present = new ArrayList<>();
            boolean[] there = new boolean[rows];
            for (int row = 0; row < rows; row++) {
                source.buffer().putInt(row * Integer.BYTES, 100_000 + row);
                there[row] = !missing.get(row);
                if (there[row]) {
                    present.add(100_000 + row);
                }
            }
            dense.begin();
            dense.putAll(0, rows, source.address());
            dense.seal(there, rows);
            copies = driver.copiesWithin();
            device.copies().synchronize();
            try (AlignedMemory found = device.pageLocked((long) rows * Integer.BYTES, "what is left")) {
                dense.memory().read(0, found.address(), dense.wireBytes());
                List<Integer> left = new ArrayList<>();
                for (int row = 0; row < present.size(); row++) {
                    left.add(found.buffer().getInt(row * Integer.BYTES));
                }
                assertThat(left).isEqualTo(present);
            }
        }
        driver.assertClean("after sealing");
        return copies;
    }
}
