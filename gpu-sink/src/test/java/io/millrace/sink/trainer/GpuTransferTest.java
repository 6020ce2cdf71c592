package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.RealGpu;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transfer of a million rows through page-locked memory to a GPU and back. */
@Tag("gpu")
@ExtendWith(RealGpu.class)
class GpuTransferTest extends TransferContract {
    private @Nullable PinnedSlab slab;

    @BeforeEach
    void lockMemory() {
        slab = new PinnedSlab(CudaDevice.open(0), 16 << 20, Need.REQUIRED);
    }

    private PinnedSlab slab() {
        PinnedSlab opened = slab;
        if (opened == null) {
            throw new IllegalStateException("no memory is locked");
        }
        return opened;
    }

    @Override
    Device open() {
        MicroBatchMemory.addSource(slab());
        return device();
    }

    /** Opens a device with the driver's memory. */
    CudaDevice device() {
        return CudaDevice.open(0);
    }

    @Override
    void check(long microBatches) {
        assertThat(slab().use().takenBytes()).isZero();
        assertThat(slab().use().pageableBuffers()).isZero();
        MicroBatchMemory.removeSource(slab());
        slab().close();
    }
}
