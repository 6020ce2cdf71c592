package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transfer with a stub driver, which has no device and does its work after random pauses. */
@ExtendWith(StubDriver.Needed.class)
@Tag("slow")
class CudaTransferTest extends TransferContract {
    private static final int PAUSE_MICROS = 100;

    private final StubDriver driver = StubDriver.fresh(1, PAUSE_MICROS);
    private final PinnedSlab slab = new PinnedSlab(CudaDevice.open(0), 16 << 20, Need.REQUIRED);

    @Override
    Device open() {
        MicroBatchMemory.addSource(slab);
        return CudaDevice.open(0);
    }

    @AfterEach
    void stopServing() {
        MicroBatchMemory.removeSource(slab);
    }

    @Override
    void check(long microBatches) {
        assertThat(slab.use().takenBytes()).isZero();
        slab.close();
        driver.assertClean("after the run");
        assertThat(driver.pageableCopies()).isZero();
        // A run of neighbours needs one copy, not one for each row. Most micro-batches are one or two runs.
        assertThat(driver.pinnedCopies()).isLessThan(100 * microBatches);
    }
}
