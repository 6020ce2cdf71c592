package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.BlockSource;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.PinnedSlab.Need;
import org.apache.arrow.memory.ArrowBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(StubDriver.Needed.class)
class PinnedSlabTest {
    private static final int MEGABYTE = 1 << 20;

    private StubDriver driver;

    @BeforeEach
    void load() {
        driver = StubDriver.fresh();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
        driver.assertClean("after a test");
    }

    @Test
    void arrowBuffersLieInOneLockedBlockWithoutWaste() {
        try (PinnedSlab slab = slab(8L * MEGABYTE, Need.REQUIRED)) {
            MicroBatchMemory.addSource(slab);
            try (ArrowBuf first = MicroBatchMemory.arriving().buffer(2_600_000);
                    ArrowBuf second = MicroBatchMemory.arriving().buffer(2_600_000);
                    ArrowBuf third = MicroBatchMemory.arriving().buffer(2_600_000)) {
                assertThat(driver.alive(StubDriver.Kind.PAGE_LOCKED)).isOne();
                assertThat(slab.use().takenBytes()).isBetween(7_800_000L, 7_850_000L);
                assertThat(first.capacity()).isBetween(2_600_000L, 2_601_000L);
                assertThat(Math.abs(second.memoryAddress() - third.memoryAddress()))
                        .isLessThan(2_610_000);
            } finally {
                MicroBatchMemory.removeSource(slab);
            }
            assertThat(slab.use().takenBytes()).isZero();
            assertThat(slab.use().pageableBuffers()).isZero();
        }
    }

    @Test
    void beyondTheLimitBuffersArePageableAndCounted() {
        try (PinnedSlab slab = slab(MEGABYTE, Need.PREFERRED)) {
            MicroBatchMemory.addSource(slab);
            try (ArrowBuf fits = MicroBatchMemory.arriving().buffer(900_000);
                    ArrowBuf pageable = MicroBatchMemory.arriving().buffer(900_000)) {
                fits.setZero(0, fits.capacity());
                pageable.setZero(0, pageable.capacity());
                assertThat(slab.use().pageableBuffers()).isOne();
                assertThat(slab.use().pageableBytes()).isBetween(900_000L, 901_000L);
                assertThat(slab.use().lockedBytes()).isEqualTo(MEGABYTE);
            } finally {
                MicroBatchMemory.removeSource(slab);
            }
        }
    }

    @Test
    void beyondTheLimitTakingFailsIfPageLockedMemoryIsRequired() {
        try (PinnedSlab slab = slab(MEGABYTE, Need.REQUIRED)) {
            MicroBatchMemory.addSource(slab);
            try {
                assertThatThrownBy(() -> MicroBatchMemory.arriving()
                                .buffer(2L * MEGABYTE)
                                .close())
                        .isInstanceOf(DeviceException.class)
                        .hasMessageContaining("no page-locked memory for 2097152 bytes of a micro-batch")
                        .hasMessageContaining("0 of 1048576 bytes are taken, which is the limit")
                        .hasMessageContaining("ulimit -l");
            } finally {
                MicroBatchMemory.removeSource(slab);
            }
        }
    }

    @Test
    void buffersThatTheSystemDoesNotLockArePageable() {
        driver.limit(MEGABYTE, MEGABYTE);
        try (PinnedSlab preferred = slab(8L * MEGABYTE, Need.PREFERRED);
                PinnedSlab required = slab(8L * MEGABYTE, Need.REQUIRED)) {
            assertThat(preferred.take(100)).isEqualTo(BlockSource.NONE);
            assertThat(preferred.use().pageableBuffers()).isOne();
            assertThatThrownBy(() -> required.take(100))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("after 0 bytes no more could be locked (cuMemHostAlloc for");
        }
    }

    @Test
    void memoryIsFreedWhenTheLastPartIsGivenBack() {
        PinnedSlab slab = slab(8L * MEGABYTE, Need.REQUIRED);
        long part = slab.take(1000);
        long other = slab.take(1000);
        assertThat(part % 4096).isZero();
        slab.close();
        assertThat(slab.take(1000)).isEqualTo(BlockSource.NONE);
        slab.giveBack(part, 1000);
        assertThat(driver.alive(StubDriver.Kind.PAGE_LOCKED)).isOne();
        slab.giveBack(other, 1000);
        assertThat(driver.alive(StubDriver.Kind.PAGE_LOCKED)).isZero();
        assertThat(driver.alive(StubDriver.Kind.CONTEXT)).isZero();
    }

    private static PinnedSlab slab(long limit, Need need) {
        return new PinnedSlab(CudaDevice.open(0), limit, need);
    }
}
