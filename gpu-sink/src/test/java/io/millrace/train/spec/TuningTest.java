package io.millrace.train.spec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TuningTest {
    private static Tuning auto(Precision precision) {
        return new Tuning(0, MemoryFormat.AUTO).in(precision);
    }

    /** Float32 does not use the tensor cores, and the other precisions do. */
    @Test
    void memoryFormatOnAGpuFollowsThePrecision() {
        assertThat(auto(Precision.FLOAT32).formatOnGpu()).isEqualTo(MemoryFormat.CONTIGUOUS);
        assertThat(auto(Precision.BFLOAT16).formatOnGpu()).isEqualTo(MemoryFormat.CHANNELS_LAST);
        assertThat(auto(Precision.TF32).formatOnGpu()).isEqualTo(MemoryFormat.CHANNELS_LAST);
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void memoryFormatOnTheHostIsChannelsLast(Precision precision) {
        assertThat(auto(precision).formatOnHost()).isEqualTo(MemoryFormat.CHANNELS_LAST);
    }

    @ParameterizedTest
    @EnumSource(
            value = MemoryFormat.class,
            names = {"CHANNELS_LAST", "CONTIGUOUS"})
    void requestedMemoryFormatIsUsedEverywhere(MemoryFormat format) {
        for (Precision precision : Precision.values()) {
            Tuning tuning = new Tuning(0, format).in(precision);
            assertThat(tuning.formatOnGpu()).isEqualTo(format);
            assertThat(tuning.formatOnHost()).isEqualTo(format);
        }
    }
}
