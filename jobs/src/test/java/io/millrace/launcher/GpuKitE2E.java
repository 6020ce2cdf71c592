package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The scripts of the GPU kit, whose tests are in Python: parcels, steps, figures and the pages about them; the first call, with
 * real processes that are killed in each of its steps; and the checks of the Python client, with a stand-in for the GPU.
 */
@Tag("processes")
class GpuKitE2E {
    private static final Path KIT =
            Path.of("..", "dist", "gpu-kit").toAbsolutePath().normalize();

    @TempDir
    Path folder;

    private record Ended(int exitCode, String output) {}

    private Ended run(String... command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        try {
            int exitCode = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start()
                    .waitFor();
            return new Ended(exitCode, Files.readString(output, StandardCharsets.UTF_8));
        } catch (IOException e) {
            Assumptions.abort(command[0] + " is missing: " + e.getMessage());
            throw e;
        }
    }

    @ParameterizedTest
    @CsvSource({"test_kit.py, 70", "test_first.py, 12", "test_client.py, 3"})
    void scriptsPassTheirTests(String script, int least) throws Exception {
        Ended ended = run("python3", KIT.resolve(script).toString());
        assertThat(ended.exitCode).as(ended.output).isZero();
        Matcher ran = Pattern.compile("Ran ([0-9]+) tests?").matcher(ended.output);
        assertThat(ran.find()).as(ended.output).isTrue();
        // Without torch the whole class of tests is skipped, and none of them runs.
        boolean skipped = ended.output.contains("skipped=");
        assumeThat(skipped).as(ended.output).isFalse();
        assertThat(Integer.parseInt(ran.group(1))).isGreaterThanOrEqualTo(least);
    }

    @Test
    void missingBuildIsReportedWithTheCommandThatMakesIt() throws Exception {
        // A copy of the scripts in an empty tree, so that the distribution of this tree is not found.
        Path copy = Files.createDirectories(folder.resolve("dist/gpu-kit"));
        for (String script : List.of("pack.py", "unpack.py", "jvms.py", "programs.py")) {
            Files.copy(KIT.resolve(script), copy.resolve(script));
        }
        Ended ended = run("python3", copy.resolve("pack.py").toString());
        assertThat(ended.exitCode).as(ended.output).isEqualTo(1);
        assertThat(ended.output)
                .startsWith("pack.py: expected one file ")
                .contains("found 0: run 'mvn -B package -Pdist -DskipTests'")
                .doesNotContain("Traceback");
    }

    @Test
    void folderWithoutPyTorchIsNoLibtorchForTheBridge() throws Exception {
        String nowhere = folder.toString();
        Ended ended = run("bash", KIT.resolve("bridge.sh").toString(), nowhere, nowhere, nowhere, nowhere + "/out.so");
        assertThat(ended.exitCode).as(ended.output).isEqualTo(1);
        assertThat(ended.output)
                .isEqualTo("bridge.sh: " + nowhere + " is no package of PyTorch: it has no lib/libtorch.so\n");
    }
}
