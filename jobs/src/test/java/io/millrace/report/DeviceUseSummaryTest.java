package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.figures.DeviceFigures;
import org.junit.jupiter.api.Test;

class DeviceUseSummaryTest {
    @Test
    void shortDescriptionIsTheFirstSentence() {
        assertThat(inShort("the host's memory, not a GPU: no libcuda.so.1. Install the driver; or pass the GPU in"))
                .isEqualTo("the host's memory, not a GPU: no libcuda.so.1");
        assertThat(inShort("cuda:0 (NVIDIA H200)")).isEqualTo("cuda:0 (NVIDIA H200)");
    }

    private static String inShort(String description) {
        DeviceFigures gpu = RunReports.GPU;
        return DeviceUseSummary.of(new DeviceFigures(
                        gpu.kind(),
                        description,
                        gpu.engineVersion(),
                        gpu.use(),
                        gpu.slotWaitNanos(),
                        gpu.pageableBuffers(),
                        gpu.seen(),
                        gpu.memoryFormat(),
                        gpu.warnings()))
                .inShort();
    }
}
