package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServedPlanTest {
    @ParameterizedTest
    @CsvSource({"4, 4096, 16", "4, 53248, 16", "4, 131072, 8", "4, 9633792, 4", "32, 53248, 32", "2, 1048577, 2"})
    void smallBatchesHaveMoreBuffers(int batchesInFlight, long bufferBytes, int buffers) {
        assertThat(ServedPlan.recommendedBuffers(batchesInFlight, bufferBytes)).isEqualTo(buffers);
    }
}
