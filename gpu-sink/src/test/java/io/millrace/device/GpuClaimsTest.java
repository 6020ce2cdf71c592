package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.GpuClaims.Claim;
import io.millrace.lifecycle.Handles;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The claims of one process; {@link GpuClaimsE2E} has those of several. */
class GpuClaimsTest {
    private static final List<String> TWO = List.of("GPU-0", "GPU-1");

    @TempDir
    Path folder;

    private GpuClaims claims() {
        return new GpuClaims(folder.resolve("gpus"));
    }

    @Test
    void preferredGpuIsClaimedUnlessSomebodyHasIt() throws Exception {
        try (Claim first = claims().claim(TWO);
                Claim second = claims().claim(TWO)) {
            assertThat(first.choice()).isZero();
            assertThat(second.choice()).isOne();
            assertThat(second.others()).isZero();
        }
    }

    @Test
    void trainersAreSpreadEvenlyWhenThereAreMoreThanGpus() throws Exception {
        try (Claim first = claims().claim(TWO);
                Claim second = claims().claim(TWO);
                Claim third = claims().claim(List.of("GPU-1", "GPU-0"));
                Claim fourth = claims().claim(List.of("GPU-1", "GPU-0"))) {
            assertThat(Stream.of(first, second))
                    .allSatisfy(claim -> assertThat(claim.others()).isZero());
            assertThat(third.choice()).isZero();
            assertThat(third.others()).isOne();
            assertThat(fourth.choice()).isOne();
            assertThat(fourth.others()).isOne();
        }
    }

    @Test
    void closedClaimIsFreeAgain() throws Exception {
        Claim first = claims().claim(TWO);
        first.close();
        first.close();
        try (Claim again = claims().claim(TWO)) {
            assertThat(again.choice()).isZero();
            first.close();
            try (Claim other = claims().claim(TWO)) {
                assertThat(other.choice()).as("the second claim is still held").isOne();
            }
        }
    }

    @Test
    void otherUsersCanClaimInTheSameFolder() throws Exception {
        try (Claim claim = claims().claim(TWO)) {
            assertThat(claim.choice()).isZero();
            assertThat(Files.getPosixFilePermissions(folder.resolve("gpus")))
                    .contains(PosixFilePermission.OTHERS_WRITE);
            assertThat(Files.getPosixFilePermissions(folder.resolve("gpus/GPU-0.0")))
                    .contains(PosixFilePermission.OTHERS_WRITE);
        }
    }

    /** The folder may be one in which old files are deleted. */
    @Test
    void fileThatIsDeletedBeforeItIsLockedIsNoClaim() throws Exception {
        List<Path> opened = new ArrayList<>();
        GpuClaims racing = new GpuClaims(folder.resolve("gpus"), file -> {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            opened.add(file);
            if (opened.size() == 1) {
                Files.delete(file);
            } else if (opened.size() == 2) {
                Files.delete(file);
                Files.createFile(file);
            }
            return channel;
        });
        try (Claim claim = racing.claim(TWO)) {
            assertThat(claim.choice()).isZero();
            assertThat(opened).hasSize(3);
            assertThat(folder.resolve("gpus/GPU-0.0"))
                    .as("the file that is locked")
                    .hasContent(ProcessHandle.current().pid() + "\n");
        }
    }

    @Test
    void claimWhoseFileIsDeletedHoldsInThisProcessAndCanBeClosed() throws Exception {
        Claim first = claims().claim(TWO);
        Files.delete(folder.resolve("gpus/GPU-0.0"));
        try (Claim second = claims().claim(TWO)) {
            assertThat(second.choice()).isOne();
            first.close();
            try (Claim third = claims().claim(TWO)) {
                assertThat(third.choice()).isZero();
                assertThat(folder.resolve("gpus/GPU-0.0")).exists();
            }
        }
    }

    /** A program that deletes old files considers the time of the last write. */
    @Test
    void claimWritesToItsFile() throws Exception {
        claims().claim(TWO).close();
        Path file = folder.resolve("gpus/GPU-0.0");
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(9)));
        Files.setLastModifiedTime(file, old);
        claims().claim(TWO).close();
        assertThat(Files.getLastModifiedTime(file)).isGreaterThan(old);
        assertThat(file).hasContent(ProcessHandle.current().pid() + "\n");
    }

    @Test
    void placeThatCannotBeUsedCountsAsTaken() throws Exception {
        Files.createDirectories(folder.resolve("gpus/GPU-0.0")); // a folder in place of the file
        try (Claim first = claims().claim(TWO);
                Claim second = claims().claim(TWO);
                Claim third = claims().claim(TWO)) {
            assertThat(first.choice()).isOne();
            assertThat(second.choice()).isZero();
            assertThat(second.others()).as("no trainer has the place").isZero();
            assertThat(third.choice()).isOne();
            assertThat(third.others()).isOne();
        }
    }

    @Test
    void trainerBeyondAllPlacesReceivesTheNumberOfTheOthers() throws Exception {
        List<Claim> all = new ArrayList<>();
        try {
            for (int i = 0; i <= 64; i++) {
                all.add(claims().claim(List.of("GPU-0")));
            }
            assertThat(all.get(63).others()).isEqualTo(63);
            assertThat(all.get(64).choice()).isZero();
            assertThat(all.get(64).others()).isEqualTo(64);
        } finally {
            Handles.closeAll(all);
        }
    }

    /** All users of a machine need the same folder, whatever each of them may write. */
    @Test
    void folderOfTheMachineIsTheFirstThatAllUsersMayWrite() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path missing = folder.resolve("missing");
        assertThat(GpuClaims.common(List.of(missing, own, shared), folder)).isEqualTo(shared.resolve("millrace-gpus"));
        assertThat(GpuClaims.common(List.of(missing, own), folder)).isEqualTo(folder.resolve("millrace-gpus"));
    }

    @Test
    void relativeFolderIsRejected() {
        assertThatThrownBy(() -> new GpuClaims(Path.of("gpus")).claim(TWO))
                .isInstanceOf(DeviceException.class)
                .hasMessageStartingWith("MILLRACE_GPU_CLAIMS is 'gpus': expected an absolute path");
    }

    /** Without claims the trainer still trains; the log has a warning. */
    @Test
    void unusableFolderLeavesThePreferredGpu() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        try (Claim first = new GpuClaims(file.resolve("gpus")).claim(TWO);
                Claim second = new GpuClaims(file.resolve("gpus")).claim(TWO)) {
            assertThat(first.choice()).isZero();
            assertThat(second.choice()).isZero();
            assertThat(second.others()).isZero();
        }
    }
}
