package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.JpegRestarts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests with JPEGs of Pillow, ImageMagick and mozjpeg, whose pixels Pillow decoded ({@code jpeg_vectors.py}). */
class JpegsOfOtherProgramsTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "vectors", "jpeg");

    static List<Kernels> kernels() {
        return KernelChoice.available();
    }

    private static ImageIntegrity strictest(Kernels kernels) {
        return kernels.findDamage() ? ImageIntegrity.ENTROPY : ImageIntegrity.STRUCTURE;
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void pixelsAreThoseOfPillowAlsoWithRestartMarkers(Kernels kernels) throws Exception {
        List<String> different = new ArrayList<>();
        int marked = 0;
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, strictest(kernels), kernels)) {
            for (ImageVectors.Row row : ImageVectors.tableAt("/vectors/jpeg/jpeg.csv")) {
                byte[] file = Files.readAllBytes(FOLDER.resolve(row.text("file")));
                JpegRestarts.Recoded recoded = new JpegRestarts().recode(file, 2);
                marked += recoded.change() == JpegRestarts.Change.ADDED ? 1 : 0;
                for (byte[] one : List.of(file, recoded.bytes())) {
                    if (!ImageVectors.sha256(decoder.decode(one)).equals(row.text("sha256"))) {
                        different.add(row.text("file"));
                    }
                }
            }
        }
        assertThat(different).isEmpty();
        assertThat(marked).isGreaterThan(40);
    }
}
