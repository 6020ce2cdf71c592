package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests that compare converted 16-bit floats with the results of torch 2.13.0, which src/test/python/wire_vectors.py
 * wrote.
 */
class WireFloatsTest {
    private static final int RECORD_BYTES = 8;

    private interface Check {
        void of(float value, short half, short brain);
    }

    private static void forEach(Check check) throws IOException {
        try (InputStream in = Objects.requireNonNull(WireFloatsTest.class.getResourceAsStream("wire-floats.bin"))) {
            ByteBuffer records = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(records.remaining()).isGreaterThan(2000 * RECORD_BYTES);
            while (records.hasRemaining()) {
                check.of(Float.intBitsToFloat(records.getInt()), records.getShort(), records.getShort());
            }
        }
    }

    @Test
    void halvesOfFloatsEqualThoseOfTorch() throws IOException {
        forEach((value, half, brain) -> {
            short found = Halves.fromFloat(value);
            if (Float.isNaN(value)) {
                assertThat(Halves.toFloat(found)).isNaN();
            } else {
                assertThat(found).as("float16 of %s", value).isEqualTo(half);
                assertThat(Halves.fromDouble(value)).as("through a double").isEqualTo(half);
            }
        });
    }

    @Test
    void brainFloatsOfFloatsEqualThoseOfTorch() throws IOException {
        forEach((value, half, brain) -> {
            short found = BrainFloats.fromFloat(value);
            if (Float.isNaN(value)) {
                assertThat(BrainFloats.toFloat(found)).isNaN();
            } else {
                assertThat(found).as("bfloat16 of %s", value).isEqualTo(brain);
                assertThat(BrainFloats.fromDouble(value)).as("through a double").isEqualTo(brain);
            }
        });
    }

    @Test
    void everyHalfAndBrainFloatSurvivesTheRoundTrip() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float half = Halves.toFloat((short) bits);
            if (!Float.isNaN(half)) {
                assertThat(Halves.fromFloat(half)).isEqualTo((short) bits);
            }
            float brain = BrainFloats.toFloat((short) bits);
            if (!Float.isNaN(brain)) {
                assertThat(BrainFloats.fromFloat(brain)).isEqualTo((short) bits);
                assertThat(BrainFloats.fromDouble(brain)).isEqualTo((short) bits);
            }
        }
    }

    @Test
    void doublesAreRoundedOnce() {
        // The nearest float lies exactly between two bfloat16 values, so rounding it again would choose the even,
        // lower one.
        double above = 1 + 0x1p-8 + 0x1p-40;
        assertThat((float) above).isEqualTo(1 + 0x1p-8f);
        assertThat(BrainFloats.toFloat(BrainFloats.fromDouble(above))).isEqualTo(1 + 0x1p-7f);
        assertThat(BrainFloats.toFloat(BrainFloats.fromFloat((float) above))).isEqualTo(1);
    }
}
