package io.millrace.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Mutation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WavFileTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/audio");

    private static List<String[]> table() throws IOException {
        return Files.readAllLines(VECTORS.resolve("waveforms.csv")).stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .toList();
    }

    private static byte[] file(String name) throws IOException {
        return Files.readAllBytes(VECTORS.resolve(name));
    }

    @Test
    void valuesEqualThoseOfNumPy() throws Exception {
        List<String[]> rows = table();
        assertThat(rows).hasSize(7);
        for (String[] row : rows) {
            WavFile wav = WavFile.parse(file(row[0]));
            assertThat(List.of(wav.channels(), wav.frames(), wav.sampleRate()))
                    .as(row[0])
                    .containsExactly(Integer.valueOf(row[1]), Integer.valueOf(row[2]), Integer.valueOf(row[3]));
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(wav.byChannel());
            assertThat(HexFormat.of().formatHex(digest)).as(row[0]).isEqualTo(row[4]);
        }
    }

    @Test
    void framesAreTheChannelsTransposed() throws Exception {
        WavFile wav = WavFile.parse(file("pcm16-stereo.wav"));
        ByteBuffer channels = ByteBuffer.wrap(wav.byChannel()).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer frames = ByteBuffer.wrap(wav.byFrame()).order(ByteOrder.LITTLE_ENDIAN);
        for (int frame = 0; frame < wav.frames(); frame++) {
            for (int channel = 0; channel < 2; channel++) {
                assertThat(frames.getFloat(4 * (2 * frame + channel)))
                        .isEqualTo(channels.getFloat(4 * (wav.frames() * channel + frame)));
            }
        }
    }

    @Test
    void truncatedFileIsRefusedAtEveryLength() throws Exception {
        byte[] whole = file("pcm24-mono.wav");
        for (int length = 0; length < whole.length - 1; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> WavFile.parse(cut))
                    .isInstanceOfSatisfying(MalformedAudioException.class, e -> assertThat(e.offset())
                            .isBetween(0L, (long) cut.length))
                    .hasMessageContaining("expected");
        }
    }

    @Test
    void unknownEncodingIsNamed() throws Exception {
        byte[] law = file("pcm16-stereo.wav");
        law[20] = 7;
        assertThatThrownBy(() -> WavFile.parse(law))
                .hasMessage(
                        "expected PCM of 8, 16, 24 or 32 bits or floats of 32 or 64 bits in a WAV file, found format 7 of"
                                + " 16 bits");
    }

    @Test
    void damagedFilesEndInValuesOrAnException() throws Exception {
        int good = 0;
        for (String[] row : table()) {
            byte[] original = file(row[0]);
            for (int seed = 0; seed < Mutation.CASES; seed++) {
                byte[] damaged = Mutation.mutate(original, new Random(seed));
                try {
                    WavFile wav = WavFile.parse(damaged);
                    assertThat(wav.byFrame()).hasSize(wav.frames() * wav.channels() * Float.BYTES);
                    good++;
                } catch (MalformedAudioException e) {
                    assertThat(e.reason()).isNotBlank();
                    assertThat(e.offset()).isBetween(0L, (long) damaged.length);
                }
            }
        }
        assertThat(good).isPositive();
    }
}
