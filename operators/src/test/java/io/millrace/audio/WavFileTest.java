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
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** An empty hash in the table means that the file is refused, with an encoding or a fault that the reason names. */
    @Test
    void everyKindOfFileHasTheValuesOfLibsndfileOrIsRefused() throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(VECTORS.resolve("kinds.csv"))) {
            String[] row = line.split(",", -1);
            if (row[0].equals("name")) {
                continue;
            }
            expected.put(row[0], String.join(",", Arrays.copyOfRange(row, 1, 5)));
            try {
                WavFile wav = WavFile.parse(Base64.getDecoder().decode(row[5]));
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(wav.byChannel());
                found.put(
                        row[0],
                        wav.channels() + "," + wav.frames() + "," + wav.sampleRate() + ","
                                + HexFormat.of().formatHex(digest));
            } catch (MalformedAudioException e) {
                assertThat(e.reason()).as(row[0]).contains("expected", "found");
                found.put(row[0], ",,,");
            }
        }
        assertThat(found).hasSizeGreaterThan(70).containsExactlyEntriesOf(expected);
    }

    /** GStreamer and Python's wave module write 0 to a pipe. libsndfile reads nothing from such a file. */
    @Test
    void dataOfSizeZeroReachesToTheEndOfAFileWhoseSizeIsZero() throws Exception {
        byte[] wav = file("pcm16-stereo.wav");
        int frames = WavFile.parse(wav).frames();
        ByteBuffer sizes = ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN);
        sizes.putInt(40, 0);
        assertThat(WavFile.parse(wav).frames()).isZero();
        sizes.putInt(4, 0);
        assertThat(WavFile.parse(wav).frames()).isEqualTo(frames);
        sizes.putInt(4, 36);
        assertThat(WavFile.parse(wav).frames()).isEqualTo(frames);
    }

    @ParameterizedTest
    @CsvSource({"2, MS ADPCM", "17, IMA ADPCM", "49, GSM 6.10", "85, MP3", "7, mu-law", "999, format 999"})
    void unknownEncodingIsNamed(int format, String name) throws Exception {
        byte[] wav = file("pcm16-stereo.wav");
        ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN).putShort(20, (short) format);
        assertThatThrownBy(() -> WavFile.parse(wav))
                .hasMessage(
                        "expected PCM of 1 to 32 bits, floats of 32 or 64 bits, A-law or mu-law in a WAV file, found "
                                + name + " of 16 bits");
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
