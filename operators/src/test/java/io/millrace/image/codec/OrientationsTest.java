package io.millrace.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrientationsTest {
    /** An image whose orientation stands at a usual or an unusual place, in base64, and what Pillow makes of it. */
    private record Placed(String name, int orientation, String base64) {
        byte[] file() {
            return Base64.getDecoder().decode(base64);
        }
    }

    private static List<Placed> table() throws Exception {
        return Files.readAllLines(Path.of("src/test/resources/vectors/image/orientations.csv")).stream()
                .skip(1)
                .map(line -> line.split(","))
                .map(row -> new Placed(row[0], Integer.parseInt(row[1]), row[2]))
                .toList();
    }

    /** Where Pillow raises an exception (0 in the table), the image stays as it is. */
    @Test
    void orientationIsThatOfPillowAtEveryPlace() throws Exception {
        Map<String, Integer> expected = new LinkedHashMap<>();
        Map<String, Integer> found = new LinkedHashMap<>();
        for (Placed placed : table()) {
            expected.put(placed.name, Math.max(1, placed.orientation));
            found.put(placed.name, Orientations.of(ImageFormat.of(placed.file()), placed.file()));
        }
        assertThat(found).hasSizeGreaterThan(150).containsExactlyEntriesOf(expected);
    }

    @Test
    void damagedPlacesGiveAnOrientation() throws Exception {
        for (Placed placed : table()) {
            byte[] file = placed.file();
            for (int at = 0; at < file.length; at++) {
                byte[] damaged = file.clone();
                damaged[at] ^= (byte) 0xff;
                byte[] cut = Arrays.copyOf(file, at);
                assertThatNoException().isThrownBy(() -> {
                    assertThat(JpegMetadata.orientation(damaged)).isBetween(1, 8);
                    assertThat(PngMetadata.orientation(damaged)).isBetween(1, 8);
                    assertThat(JpegMetadata.orientation(cut)).isBetween(1, 8);
                    assertThat(PngMetadata.orientation(cut)).isBetween(1, 8);
                });
                if (placed.name.startsWith("webp") && at > 21) {
                    assertThat(WebpMetadata.orientation(damaged)).isBetween(1, 8);
                    assertThat(WebpMetadata.orientation(cut)).isBetween(1, 8);
                }
            }
        }
    }
}
