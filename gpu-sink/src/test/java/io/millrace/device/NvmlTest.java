package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.NativeLibrary;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class NvmlTest {
    private static String library = "";

    @BeforeAll
    static void build() {
        library = StubDriver.built("nvml_stub.c", "libmillrace-nvml-stub.so").toString();
    }

    private static int open() {
        return NativeLibrary.getInstance(library).getFunction("stub_opened").invokeInt(new Object[0]);
    }

    @Test
    void allGpusOfTheMachineAreListed() {
        try (Nvml nvml = Nvml.open(library)) {
            assertThat(open()).isOne();
            assertThat(nvml.driverVersion()).isEqualTo("570.86.15");
            assertThat(nvml.gpus())
                    .containsExactly(
                            new Nvml.Gpu("GPU-57750000-0000-0000-0000-000000000000", "Stub GPU 0"),
                            new Nvml.Gpu("GPU-57750000-0000-0000-0000-000000000001", "Stub GPU 1"));
        }
        assertThat(open()).isZero();
    }

    @Test
    void figuresThatAGpuDoesNotProvideAreUnknown() {
        try (Nvml nvml = Nvml.open(library)) {
            assertThat(nvml.read("GPU-57750000-0000-0000-0000-000000000000")).isEqualTo(new Nvml.Reading(0.87, 412.5));
            assertThat(nvml.read("GPU-57750000-0000-0000-0000-000000000001")).isEqualTo(new Nvml.Reading(0.0, null));
            assertThatThrownBy(() -> nvml.read("GPU-0"))
                    .isInstanceOf(DeviceException.class)
                    .hasMessage("nvmlDeviceGetHandleByUUID failed with Not Found (6)");
        }
    }

    @Test
    void missingLibraryIsReportedWithItsOrigin() {
        assertThatThrownBy(() -> Nvml.open("libno-nvml.so.1"))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("libno-nvml.so.1 was not found")
                .hasMessageContaining("NVIDIA_DRIVER_CAPABILITIES");
    }
}
