package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The start of JCuda in processes of their own, with the stub of the driver. */
@ExtendWith(StubDriver.Needed.class)
class CudaLibraryE2E {
    @TempDir
    Path folder;

    /** Opens a device twice, and prints the results and the folder for temporary files. */
    static final class Opening {
        public static void main(String[] arguments) {
            for (int i = 0; i < 2; i++) {
                try (CudaDevice device = CudaDevice.open(0)) {
                    System.out.println(": " + device.describe());
                } catch (DeviceException e) {
                    System.out.println(": " + e.getClass().getSimpleName() + ": " + e.getMessage());
                }
            }
            System.out.println(": " + System.getProperty("java.io.tmpdir"));
        }
    }

    private static StubProcess start(Path temporary, Map<String, String> environment, String... options)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Djava.io.tmpdir=" + temporary);
        return StubProcess.start(environment, all, Opening.class);
    }

    /** Another process has been interrupted, or is still writing: JCuda would load what there is of its library. */
    @Test
    void processesThatStartTogetherDoNotUseAFileThatAnotherOneIsWriting() throws Exception {
        String shared =
                LibUtils.createLibraryFileName(LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
        Path incomplete = Files.writeString(folder.resolve(shared), "\u007fELF");
        List<StubProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                processes.add(start(folder, Map.of()));
            }
            for (StubProcess each : processes) {
                assertThat(each.line()).isEqualTo("cuda:0 (Stub GPU 0)");
                assertThat(each.line()).isEqualTo("cuda:0 (Stub GPU 0)");
                assertThat(each.line()).as("the property is as before").isEqualTo(folder.toString());
            }
        } finally {
            for (StubProcess each : processes) {
                each.close();
            }
        }
        assertThat(incomplete).hasContent("\u007fELF");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.filter(file -> file.toString().contains("millrace")))
                    .isEmpty();
        }
    }

    @Test
    void folderFromWhichNothingCanBeRunIsReplacedByTheUsersCache() throws Exception {
        Path temporary = Files.createTempDirectory(noexec(), "millrace-test");
        try (StubProcess process = start(temporary, Map.of("XDG_CACHE_HOME", folder.toString()))) {
            assertThat(process.line()).isEqualTo("cuda:0 (Stub GPU 0)");
        }
        Map<String, String> nowhereElse = Map.of("XDG_CACHE_HOME", temporary.toString());
        try (StubProcess process = start(temporary, nowhereElse)) {
            for (int i = 0; i < 2; i++) {
                assertThat(process.line())
                        .startsWith("DeviceException: JNA, which loads the CUDA driver, cannot start: ")
                        .contains("failed to map segment")
                        .contains("Set -Djna.tmpdir");
            }
        }
        try (StubProcess process = start(temporary, nowhereElse, "-Djna.tmpdir=" + folder)) {
            assertThat(process.line())
                    .startsWith("DeviceException: JCuda's library cannot be loaded: ")
                    .contains("is probably mounted with noexec: set -Djava.io.tmpdir to another folder");
            assertThat(process.line()).as("again").startsWith("DeviceException: JCuda's library cannot be loaded: ");
        } finally {
            delete(temporary);
        }
    }

    /** Deletes a folder with what other libraries have left there. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Returns a folder that is mounted with noexec, as /dev/shm is in many containers; skips the test without one. */
    private static Path noexec() throws IOException {
        try (Stream<String> mounts = Files.lines(Path.of("/proc/self/mounts"))) {
            Optional<Path> found = mounts.map(line -> line.split(" "))
                    .filter(fields -> List.of(fields[3].split(",")).containsAll(List.of("noexec", "rw")))
                    .filter(fields -> fields[2].equals("tmpfs"))
                    .map(fields -> Path.of(fields[1]))
                    .filter(Files::isWritable)
                    .findFirst();
            Assumptions.assumeTrue(found.isPresent(), "no folder that can be written is mounted with noexec");
            return found.get();
        }
    }

    /** A driver that is damaged is not the same as none: auto must not silently choose the host. */
    @Test
    void damagedDriverIsReportedAsSuch() throws Exception {
        Files.writeString(folder.resolve("libcuda.so.1"), "\u007fELF and no more");
        try (StubProcess process = start(folder, Map.of("LD_LIBRARY_PATH", folder.toString()))) {
            for (int i = 0; i < 2; i++) {
                assertThat(process.line())
                        .startsWith("DeviceException: the NVIDIA driver's library was found, but cannot be loaded: ")
                        .contains("libcuda.so.1: file too short");
            }
        }
    }
}
