package io.millrace.inspect.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.image.ImageVectors;
import io.millrace.inspect.reference.ComparisonResult.Counts;
import io.millrace.inspect.reference.ComparisonResult.Outcome;
import io.millrace.python.PythonWithNumpy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons with a real interpreter; skipped without numpy, Pillow and pyarrow. */
class ReferenceComparisonTest {
    private static final String TABLES = """
            import io, sys, tarfile
            import numpy as np, pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as feather
            folder, jpeg = sys.argv[1], open(sys.argv[2], "rb").read()
            table = pa.table({
                "id": pa.array([1, 2, 3], pa.int16()),
                "big": pa.array([1, None, 2**40], pa.int64()),
                "share": pa.array([0.5, float("nan"), -0.0], pa.float32()),
                "text": ["a", "\\u00e4\\u4e2d", ""],
                "image": pa.array([jpeg, jpeg[:-100], b"no image"]),
                "box": pa.array([[1.5, 2], [], [3]], pa.list_(pa.float64())),
                "when": pa.array([1, 2, 3], pa.timestamp("s")),
            })
            pq.write_table(table, f"{folder}/t.parquet")
            feather.write_feather(table, f"{folder}/t.feather")
            np.save(f"{folder}/t.npy", np.arange(12, dtype=">i2").reshape(4, 3))
            with tarfile.open(f"{folder}/t.tar", "w") as archive:
                for name, data in ("1.jpg", jpeg), ("1.cls", b"3"), ("2.cls", b"4"), ("d/3.jpg", b"<html>"), ("d/3.cls", b"x"):
                    member = tarfile.TarInfo(name)
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
            """;

    @TempDir
    Path root;

    private String python = "";
    private Path folder = Path.of("");

    @BeforeEach
    void requirePython() throws Exception {
        python = PythonWithNumpy.find().orElse("");
        assumeTrue(!python.isEmpty(), "no Python 3.9 with numpy");
        for (String library : List.of("PIL", "pyarrow")) {
            assumeTrue(PythonWithNumpy.has(python, library), "Python has no " + library);
        }
        folder = Files.createDirectory(root.resolve("files"));
    }

    private ComparisonResult compare(String interpreter) throws IOException {
        return ReferenceComparison.of(folder, interpreter, count -> {});
    }

    private void write(String name, byte[] bytes) throws IOException {
        Files.write(folder.resolve(name), bytes);
    }

    private void python(String program, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(python, "-c", program).redirectErrorStream(true);
        builder.command().addAll(List.of(arguments));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Returns an interpreter that runs this program first. */
    private String pythonWith(String program) throws IOException {
        Path modules = Files.createDirectory(root.resolve("modules"));
        Files.writeString(modules.resolve("sitecustomize.py"), program);
        Path script = Files.writeString(
                root.resolve("python"), "#!/bin/sh\nPYTHONPATH='" + modules + "' exec '" + python + "' \"$@\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script.toString();
    }

    private static List<Long> counts(ComparisonResult result, FileKind kind) {
        Counts counts = result.kinds().getOrDefault(kind, new Counts());
        return Arrays.stream(Outcome.values()).map(counts::of).toList();
    }

    @Test
    void picturesAreEqualOrRefused() throws Exception {
        byte[] jpeg = ImageVectors.file("decode/rgb420.jpg");
        write("a.jpg", jpeg);
        write("b", ImageVectors.file("decode/gray.png"));
        write("cut.jpg", Arrays.copyOf(jpeg, jpeg.length / 2));
        write("page.jpg", "<html>".getBytes(StandardCharsets.US_ASCII));
        write("notes.txt", "text".getBytes(StandardCharsets.US_ASCII));
        write(".hidden.jpg", jpeg);

        ComparisonResult result = compare(python);

        assertThat(counts(result, FileKind.IMAGE))
                .as(ComparisonText.render(result))
                .containsExactly(2L, 2L, 0L, 0L, 0L);
        assertThat(result.hasDifferences()).isFalse();
        assertThat(result.skipped()).containsOnlyKeys("the format is not supported here");
        assertThat(ComparisonText.render(result)).contains("Pillow ", "image", "notes.txt");
    }

    @Test
    void tablesArraysAndArchivesAreEqualOrRefused() throws Exception {
        Path jpeg = Files.write(root.resolve("a.jpg"), ImageVectors.file("decode/rgb420.jpg"));
        python(TABLES, folder.toString(), jpeg.toString());

        ComparisonResult result = compare(python);

        String text = ComparisonText.render(result);
        // Seven columns of three rows, of which the null, three times and the pixels of a JPEG that is cut off are
        // refused.
        for (FileKind kind : List.of(FileKind.PARQUET, FileKind.ARROW)) {
            assertThat(counts(result, kind)).as(text).containsExactly(18L, 5L, 0L, 0L, 0L);
        }
        assertThat(counts(result, FileKind.NPY)).as(text).containsExactly(4L, 0L, 0L, 0L, 0L);
        // Two JPEGs, the pixels of one, and two numbers; "x" is no number.
        assertThat(counts(result, FileKind.TAR)).as(text).containsExactly(5L, 1L, 0L, 0L, 0L);
    }

    @Test
    void aPixelThatTheReferenceChangesIsFound() throws Exception {
        write("a.jpg", ImageVectors.file("decode/rgb420.jpg"));
        write("b.png", ImageVectors.file("decode/gray.png"));
        String changed = pythonWith("""
                import PIL.Image
                convert = PIL.Image.Image.convert
                def changed(self, mode):
                    image = convert(self, mode)
                    if self.mode == "L":
                        red, green, blue = image.getpixel((3, 2))
                        image.putpixel((3, 2), (red ^ 1, green, blue))
                    return image
                PIL.Image.Image.convert = changed
                """);

        ComparisonResult result = compare(changed);

        assertThat(counts(result, FileKind.IMAGE)).containsExactly(1L, 0L, 0L, 0L, 1L);
        assertThat(result.hasDifferences()).isTrue();
        assertThat(result.different()).singleElement().asString().startsWith("b.png: the other has pixels");
    }

    @Test
    void aFileThatEndsThePythonProcessDoesNotEndTheComparison() throws Exception {
        write("a.jpg", ImageVectors.file("decode/rgb420.jpg"));
        write("b.png", ImageVectors.file("decode/gray.png"));
        String dying = pythonWith("""
                import os, PIL.Image
                convert = PIL.Image.Image.convert
                PIL.Image.Image.convert = lambda self, mode: os._exit(7) if self.format == "JPEG" else convert(self, mode)
                """);

        ComparisonResult result = compare(dying);

        assertThat(counts(result, FileKind.IMAGE)).containsExactly(1L, 0L, 0L, 1L, 0L);
        assertThat(result.groups(Outcome.REFUSED_BY_REFERENCE))
                .containsOnlyKeys("the Python process ended with exit code N");
    }

    @Test
    void filesWhoseLibraryIsMissingAreNamed() throws Exception {
        write("a.jpg", ImageVectors.file("decode/rgb420.jpg"));
        String without = pythonWith("import sys; sys.modules['PIL'] = None");

        ComparisonResult result = compare(without);

        assertThat(result.skipped()).containsOnlyKeys("Python has no library 'PIL.Image'");
        assertThat(result.versions()).doesNotContainKey("Pillow").containsKey("numpy");
    }

    @Test
    void aCommandThatIsNoInterpreterIsRefused() {
        assertThatThrownBy(() -> compare(root.resolve("no-python").toString()))
                .isInstanceOf(ReferenceException.class)
                .hasMessageContaining("no-python");
        assertThatThrownBy(() -> compare("true"))
                .isInstanceOf(ReferenceException.class)
                .hasMessageContaining("found 'true', which does not answer");
    }
}
