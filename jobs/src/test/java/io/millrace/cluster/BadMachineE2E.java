package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Trains in processes for which the machine is set up badly: its name, its temporary folder, and the limits of the shell. */
@Tag("processes")
@EnabledOnOs(OS.LINUX)
class BadMachineE2E {
    @TempDir
    Path folder;

    private record Ended(int exitCode, String printed) {}

    /** Trains after a shell has run some commands. */
    private Ended train(List<String> prefix, String commands, Map<String, String> environment) throws Exception {
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"));
        List<String> shell = new ArrayList<>(prefix);
        shell.addAll(List.of("sh", "-ec", commands + "; exec \"$@\"", "sh"));
        ClientProcess programs = new ClientProcess(folder, environment);
        int exitCode = programs.begin(shell, "train", pipeline.toString(), "--set", "parallelism=1")
                .waitFor();
        return new Ended(exitCode, programs.printed());
    }

    /** Returns a command that runs another one with its own host name and mounts; skips the test where that is not allowed. */
    private static List<String> isolated() throws IOException, InterruptedException {
        List<String> command = List.of("unshare", "--uts", "--mount");
        List<String> tried = new ArrayList<>(command);
        tried.addAll(List.of("hostname", "no-such-host.invalid"));
        boolean allowed;
        try {
            allowed = new ProcessBuilder(tried).start().waitFor() == 0;
        } catch (IOException e) { // there is no unshare
            allowed = false;
        }
        assumeTrue(allowed, "without the rights of root, a process cannot have its own host name and mounts");
        return command;
    }

    @Test
    void hostNameThatDoesNotResolveDoesNotMatter() throws Exception {
        Ended ended = train(isolated(), "hostname no-such-host.invalid", Map.of());
        assertThat(ended.exitCode()).as(ended.printed()).isEqualTo(ExitCode.OK);
        assertThat(ended.printed()).contains("finished").doesNotContain("no-such-host");
    }

    @Test
    void librariesAreLoadedFromAnotherFolderThanATemporaryOneWithNoexec() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("noexec"));
        Ended ended = train(
                isolated(),
                "mount -t tmpfs -o noexec,size=300m none '" + temporary + "'",
                Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary));
        assertThat(ended.exitCode()).as(ended.printed()).isEqualTo(ExitCode.OK);
        assertThat(ended.printed()).contains("finished").doesNotContain("native kernels", "failed to map");
    }

    @Test
    void limitOfTheShellForFilesIsNamed() throws Exception {
        Ended ended = train(List.of(), "ulimit -f 8", Map.of());
        assertThat(ended.exitCode()).as(ended.printed()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.printed())
                .contains("File too large")
                .doesNotContain("\tat ", "fault of Millrace", "UnsatisfiedLinkError");
    }
}
