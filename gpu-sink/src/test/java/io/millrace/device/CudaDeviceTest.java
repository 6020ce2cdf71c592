package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jcuda.driver.CUctx_flags;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The GPU's device with a driver that has no GPU: it carries copies out late and checks all calls. */
class CudaDeviceTest extends DeviceContract {
    private StubDriver driver;

    @Override
    @BeforeEach
    void openDevice() {
        driver = StubDriver.fresh(2, 300);
        super.openDevice();
    }

    @Override
    Device open() {
        return CudaDevice.open(0);
    }

    @Override
    void assertNothingLeft() {
        driver.assertClean("after a test");
    }

    @Test
    void copiesFromPageLockedMemoryAreRecognizedAsSuch() {
        try (CudaDevice device = CudaDevice.open(0);
                AlignedMemory source = device.pageLocked(100, "a source");
                AlignedMemory pageable = AlignedMemory.allocate(100, "pageable memory");
                DeviceMemory memory = device.memory(100, "memory")) {
            device.copies().copyIn(source.address() + 10, memory, 0, 90);
            assertThat(driver.pinnedCopies()).isOne();
            device.copies().copyIn(pageable.address(), memory, 0, 90);
            assertThat(driver.pageableCopies()).isOne();
            device.copies().synchronize();
        }
    }

    @Test
    void readingTheDevicesMemoryOnTheCpuIsRefused() {
        try (CudaDevice device = CudaDevice.open(1);
                DeviceMemory memory = device.memory(100, "memory")) {
            assertThatThrownBy(() -> memory.slice(0, 100))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("cuda:1 (Stub GPU 1)");
        }
    }

    /** Several devices, each with its own context, are used in turn on one thread. */
    @Test
    void devicesOfOneProcessKeepTheirOwnContexts() {
        try (CudaDevice first = CudaDevice.open(0);
                CudaDevice second = CudaDevice.open(1);
                AlignedMemory source = first.pageLocked(64, "memory for both");
                DeviceMemory here = first.memory(64, "memory");
                DeviceMemory there = second.memory(64, "memory");
                DeviceEvent event = second.event()) {
            for (int i = 0; i < 20; i++) {
                first.copies().copyIn(source.address(), here, 0, 64);
                second.copies().copyIn(source.address(), there, 0, 64);
                second.copies().record(event);
                event.synchronize();
            }
            first.copies().synchronize();
            assertThat(driver.alive(StubDriver.Kind.CONTEXT)).isEqualTo(3); // one of them belongs to the contract
            assertThatThrownBy(() -> first.copies().copyIn(source.address(), there, 0, 64))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("cuMemcpyHtoDAsync")
                    .hasMessageContaining("CUDA_ERROR_INVALID_VALUE");
            assertThat(driver.violations()).singleElement().asString().contains("memory of device 1 while device 0");
            driver.forgetViolations();
        }
    }

    /** PyTorch waits in the same context, so its waits sleep too. The stub checks the flags when a context is retained. */
    @Test
    void threadsSleepWhileTheyWaitForADevice() {
        try (CudaDevice device = CudaDevice.open(1);
                CudaDevice again = CudaDevice.open(1)) {
            assertThat(driver.contextFlags(device.number())).isEqualTo(CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC);
            assertThat(driver.contextFlags(again.number())).isEqualTo(CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC);
        }
    }

    /** The flags of an active context cannot be changed with older drivers. */
    @Test
    void deviceThatOtherCodeOpenedIsUsedAsItIs() {
        driver.retain(1, CUctx_flags.CU_CTX_SCHED_YIELD | CUctx_flags.CU_CTX_LMEM_RESIZE_TO_MAX);
        try (CudaDevice device = CudaDevice.open(1)) {
            assertThat(device.describe()).startsWith("cuda:1");
            assertThat(driver.contextFlags(1))
                    .isEqualTo(CUctx_flags.CU_CTX_SCHED_YIELD | CUctx_flags.CU_CTX_LMEM_RESIZE_TO_MAX);
        } finally {
            driver.release(1);
        }
    }

    @Test
    void closingADeviceBeforeItsMemoryIsAnError() {
        CudaDevice device = CudaDevice.open(0);
        DeviceMemory memory = device.memory(64, "memory");
        assertThatThrownBy(device::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cuda:0 (Stub GPU 0) was closed before 1 of its handles");
        memory.close(); // the contract's device still holds the context
    }
}
