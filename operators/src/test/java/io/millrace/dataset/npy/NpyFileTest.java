package io.millrace.dataset.npy;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Comparisons with files of numpy.save, written by {@code src/test/python/npy_vectors.py}. */
class NpyFileTest {
    @Test
    void imageFileEqualsTheFileOfNumPy() throws IOException {
        byte[] pixels = {(byte) 250, (byte) 251, (byte) 252, (byte) 253, (byte) 254, (byte) 255};
        assertThat(NpyFile.of(DType.UINT8, new int[] {2, 3, 1}, pixels)).isEqualTo(vector("uint8-2x3x1.npy"));
    }

    @Test
    void listFileEqualsTheFileOfNumPyWithATrailingComma() throws IOException {
        assertThat(NpyFile.of(DType.ENCODED, new int[] {5}, new byte[] {0, 1, 2, 3, 4}))
                .isEqualTo(vector("uint8-5.npy"));
    }

    @Test
    void floatFileEqualsTheFileOfNumPy() throws IOException {
        float[] values = new float[12];
        for (int i = 0; i < values.length; i++) {
            values[i] = i / 4f - 1;
        }
        assertThat(NpyFile.of(new int[] {3, 2, 2}, values)).isEqualTo(vector("float32-3x2x2.npy"));
    }

    private static byte[] vector(String name) throws IOException {
        try (InputStream in = NpyFileTest.class.getResourceAsStream("/vectors/npy/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
