package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.device.bench.BenchResult;
import io.millrace.device.bench.BenchRow;
import io.millrace.device.bench.CopyMode;
import io.millrace.device.bench.SourceMemory;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchTextTest {
    private static final BenchResult RESULT = new BenchResult(
            "cuda:0 (NVIDIA H200)",
            55.25,
            1.25,
            33_554_432,
            List.of(
                    new BenchRow(SourceMemory.PAGEABLE, CopyMode.BLOCKING, 1, 65_536, 9.5, 0.051, 0.172, 8.5, 0),
                    new BenchRow(
                            SourceMemory.PINNED,
                            CopyMode.ASYNCHRONOUS,
                            8,
                            16_777_216,
                            55.2,
                            0.002,
                            0.999,
                            54.1,
                            0.99)));

    @Test
    void tableHasARowForEachCombination() {
        assertThat(BenchText.lines(RESULT))
                .containsExactly(
                        "cuda:0 (NVIDIA H200): peak 55.25 GB/s from page-locked memory; steps of 1.25 ms on batches of"
                                + " 33,554,432 bytes",
                        "memory    mode         in flight  micro-batch     GB/s  spread  of peak in steps  overlap",
                        "pageable  blocking             1       64 KiB     9.50     5 %     17 %     8.50      0 %",
                        "pinned    asynchronous         8       16 MiB    55.20     0 %    100 %    54.10     99 %");
    }

    /** The names are fixed, because scripts rely on them. */
    @Test
    void namesAreFixed() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode json = mapper.readTree(mapper.writeValueAsString(BenchText.json(RESULT)));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("device", "peak_gb_per_s", "step_ms", "batch_bytes", "rows");
        assertThat(json.path("rows").get(1).toString())
                .isEqualTo("{\"memory\":\"pinned\",\"mode\":\"asynchronous\",\"in_flight\":8,"
                        + "\"micro_batch_bytes\":16777216,\"gb_per_s\":55.2,\"spread\":0.002,\"share_of_peak\":0.999,"
                        + "\"gb_per_s_in_steps\":54.1,\"overlap\":0.99}");
    }
}
