package io.millrace.inspect.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.python.PythonWithNumpy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares all test vectors with an interpreter's libraries, whatever their versions are. Other tests compare them with the recorded
 * values of the programs that made them. Vectors whose library is missing are left out.
 */
@Tag("slow")
class VectorConformanceTest {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors");

    @TempDir
    Path folder;

    /** Returns a folder with copies of the vectors, without those that have too many values for a test. */
    private Path copies() throws IOException {
        try (Stream<Path> found = Files.walk(VECTORS)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("many.parquet")) {
                    Path copy = folder.resolve(VECTORS.relativize(file));
                    Files.createDirectories(Objects.requireNonNull(copy.getParent()));
                    Files.copy(file, copy);
                }
            }
        }
        return folder;
    }

    @Test
    void noValueOfTheTestVectorsDiffersFromTheReferences() throws Exception {
        String python = PythonWithNumpy.find().orElse("");
        assumeTrue(!python.isEmpty() && PythonWithNumpy.has(python, "PIL"), "no Python 3.9 with numpy and Pillow");

        ComparisonResult result = ReferenceComparison.of(copies(), python, count -> {});

        assertThat(result.different()).as(ComparisonText.render(result)).isEmpty();
        assertThat(Objects.requireNonNull(result.kinds().get(FileKind.IMAGE)).of(ComparisonResult.Outcome.EQUAL))
                .isGreaterThan(150);
    }
}
