package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unpacking of a library. {@link CudaLibraryE2E} loads JCuda's in processes of their own. */
class CudaLibraryTest {
    private static final String NAME = "lib.so";
    private static final byte[] CONTENT = "a library".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private final List<String> tried = new ArrayList<>();
    private final List<String> used = new ArrayList<>();

    private @Nullable String refusing(String file, String refused) {
        tried.add(file);
        try {
            assertThat(Path.of(file)).hasBinaryContent(CONTENT);
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(Path.of(file).getParent())))
                    .isEqualTo("rwx------");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return file.startsWith(refused) ? file + ": failed to map segment from shared object" : null;
    }

    private void load(List<Path> folders, CudaLibrary.Packed packed, Path refused) {
        CudaLibrary.usable(
                folders,
                NAME,
                packed,
                file -> refusing(file, refused.toString()),
                own -> used.add(own.resolve(NAME).toString()));
    }

    private static InputStream whole(String name) {
        assertThat(name).isEqualTo(NAME);
        return new ByteArrayInputStream(CONTENT);
    }

    private long left() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> String.valueOf(file.getFileName()).contains("millrace-cuda"))
                    .count();
        }
    }

    @Test
    void eachLoadingHasAFolderOfItsOwnThatIsDeleted() throws IOException {
        load(List.of(folder), CudaLibraryTest::whole, Path.of("/nowhere"));
        load(List.of(folder), CudaLibraryTest::whole, Path.of("/nowhere"));
        assertThat(used).hasSize(2).doesNotHaveDuplicates().isEqualTo(tried);
        assertThat(left()).isZero();
    }

    @Test
    void nextFolderIsTriedWhenNothingCanBeRunFromTheFirst() throws IOException {
        Path first = folder.resolve("noexec");
        Path second = folder.resolve("made/when/needed");
        load(List.of(first, second), CudaLibraryTest::whole, first);
        assertThat(tried).hasSize(2);
        assertThat(used).singleElement().asString().startsWith(second.toString());
        assertThat(left()).isZero();
    }

    @Test
    void obstacleInEachFolderIsReported() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path first = folder.resolve("noexec");
        assertThatThrownBy(() -> load(List.of(first, file), CudaLibraryTest::whole, folder))
                .isInstanceOf(DeviceException.class)
                .isNotInstanceOf(NoGpuException.class)
                .hasMessageContaining("JCuda's library cannot be loaded: ")
                .hasMessageContaining("failed to map segment")
                .hasMessageContaining(first + " is probably mounted with noexec: set -Djava.io.tmpdir")
                .hasMessageContaining("it cannot be unpacked to " + file);
        assertThat(used).isEmpty();
        assertThat(left()).isZero();
    }

    /** The system's loader writes in the language of the user; {@link NoDriverE2E} has its real messages. */
    @Test
    void missingDriverIsRecognisedInEveryLanguage() {
        String missing = "Datei oder Verzeichnis nicht gefunden";
        String german = ": Kann die Shared-Object-Datei nicht öffnen: " + missing;
        assertThat(CudaLibrary.isMissing("libcuda.so.1" + german, missing)).isTrue();
        assertThat(CudaLibrary.isMissing(
                        "libcuda.so.1: cannot open shared object file: No such file or directory",
                        "No such file or directory"))
                .isTrue();
        assertThat(CudaLibrary.isMissing("libnvidia-part.so.1" + german, missing))
                .as("a library that the driver needs")
                .isFalse();
        assertThat(CudaLibrary.isMissing("libcuda.so.1: Datei ist zu kurz", missing))
                .as("a damaged driver")
                .isFalse();
        assertThat(CudaLibrary.isMissing("libcuda.so.1: Keine Berechtigung", missing))
                .isFalse();
    }

    @Test
    void folderWithoutExecutableFilesIsRecognisedInEveryLanguage() {
        String obstacle = folder + "/lib.so: Fehler beim Mappen des Shared Objects";
        assertThat(CudaLibrary.advice(obstacle, folder, "Fehler beim Mappen des Shared Objects"))
                .contains(folder + " is probably mounted with noexec");
        assertThat(CudaLibrary.advice(obstacle, folder, "failed to map segment from shared object"))
                .isEmpty();
    }

    /** A full disk, for example. */
    @Test
    void interruptedWriteIsReportedAndLeavesNothing() throws IOException {
        CudaLibrary.Packed broken = name -> new FilterInputStream(whole(name)) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                int read = super.read(target, from, Math.min(length, 3));
                if (read < 0) {
                    throw new IOException("No space left on device");
                }
                return read;
            }
        };
        assertThatThrownBy(() -> load(List.of(folder), broken, folder))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("it cannot be unpacked to " + folder)
                .hasMessageContaining("No space left on device");
        assertThat(tried).isEmpty();
        assertThat(left()).isZero();
    }
}
