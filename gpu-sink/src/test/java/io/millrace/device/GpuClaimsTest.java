package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.GpuClaims.Claim;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
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

    /** Without claims the trainer still trains; the log has a warning. */
    @Test
    void unusableFolderLeavesThePreferredGpu() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        try (Claim first = new GpuClaims(file.resolve("gpus")).claim(TWO);
                Claim second = new GpuClaims(file.resolve("gpus")).claim(TWO)) {
            assertThat(first.choice()).isZero();
            assertThat(second.choice()).isZero();
        }
    }
}
