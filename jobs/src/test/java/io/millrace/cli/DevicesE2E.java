package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that load stubs of NVIDIA's driver and of its management library through LD_LIBRARY_PATH. */
@Tag("processes")
class DevicesE2E {
    private static final Path SOURCES = Path.of("..", "gpu-sink", "src", "test", "native");

    @TempDir
    static Path libraries;

    @TempDir
    Path folder;

    /** The exit code and the output of a program. */
    private record Ended(int exitCode, String out, String err) {
        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(out);
        }
    }

    @BeforeAll
    static void buildTheStubs() throws Exception {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "JCuda has no library for this machine");
        build("cuda_stub.c", "libcuda.so.1");
        build("nvml_stub.c", "libnvidia-ml.so.1");
    }

    private static void build(String source, String library) throws Exception {
        Process gcc;
        try {
            gcc = new ProcessBuilder(
                            "gcc",
                            "-std=gnu11",
                            "-fPIC",
                            "-shared",
                            "-pthread",
                            "-Wl,-soname," + library,
                            SOURCES.resolve(source).toString(),
                            "-o",
                            libraries.resolve(library).toString())
                    .inheritIO()
                    .start();
        } catch (IOException e) {
            Assumptions.abort("the stubs need gcc: " + e.getMessage());
            throw e;
        }
        assertThat(gcc.waitFor()).as("gcc").isZero();
    }

    private Ended run(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder program = new ProcessBuilder(new ArrayList<>(JavaCommand.of(
                System.getProperty("java.class.path"),
                "io.millrace.cli.Main",
                "512m",
                folder.resolve("millrace.log"),
                List.of(arguments))));
        program.environment().put("LD_LIBRARY_PATH", libraries.toString());
        program.environment().remove("FLINK_CONF_DIR");
        program.environment().putAll(environment);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        int exitCode = program.redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Ended(
                exitCode, Files.readString(out, StandardCharsets.UTF_8), Files.readString(err, StandardCharsets.UTF_8));
    }

    @Test
    void gpusAreListedIncludingHiddenOnes() throws Exception {
        Ended ended = run(Map.of("STUB_DEVICES", "2", "CUDA_VISIBLE_DEVICES", "0"), "devices", "--json");
        assertThat(ended.exitCode).as(ended.err).isZero();
        JsonNode json = ended.json();
        assertThat(json.at("/driver/cuda").asText()).isEqualTo("12.8");
        assertThat(json.at("/driver/version").asText()).isEqualTo("570.86.15");
        assertThat(json.at("/driver/missing").isNull()).isTrue();
        assertThat(json.at("/gpus/0/number").asInt(-1)).isZero();
        assertThat(json.at("/gpus/0/uuid").asText()).isEqualTo("GPU-57750000-0000-0000-0000-000000000000");
        assertThat(json.at("/gpus/1/visible").asBoolean(true))
                .as("only NVML lists it")
                .isFalse();
        assertThat(json.at("/engine/version").asText())
                .isEqualTo(System.getenv().getOrDefault("PYTORCH_VERSION", "2.7.1"));
        assertThat(json.at("/training/device").asText()).isEqualTo("host");
        assertThat(json.at("/training/reason").asText()).contains("CUDA", "docs/use/gpu.md");
        assertThat(ended.err).contains("training would use host");
    }

    @Test
    void outdatedDriverIsReportedAndIsNoFailure() throws Exception {
        Ended ended = run(Map.of("STUB_VERSION", "11080"), "devices", "--json");
        assertThat(ended.exitCode).as(ended.err).isZero();
        assertThat(ended.json().at("/driver/missing").asText()).contains("the NVIDIA driver is too old", "CUDA 11.8");
        assertThat(ended.json().at("/training/device").asText()).isEqualTo("host");
    }

    @Test
    void benchRunsOnAGpuAndRefusesAMissingOne() throws Exception {
        Ended bench = run(
                Map.of("STUB_DEVICES", "2"),
                "bench-device",
                "--device",
                "cuda:1",
                "--batch",
                "1MiB",
                "--micro-batch",
                "256KiB",
                "--in-flight",
                "2",
                "--repetitions",
                "1",
                "--json");
        assertThat(bench.exitCode).as(bench.err).isZero();
        assertThat(bench.json().path("device").asText()).isEqualTo("cuda:1 (Stub GPU 1)");
        assertThat(bench.json().path("rows")).hasSize(4);

        Ended refused = run(Map.of("STUB_DEVICES", "2"), "bench-device", "--device", "cuda:2");
        assertThat(refused.exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err)
                .contains("millrace: there is no device cuda:2: expected 0 to 1, the machine has 2 GPUs")
                .doesNotContain("\tat ");

        Ended none = run(Map.of("STUB_DEVICES", "0"), "bench-device", "--device", "cuda");
        assertThat(none.exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(none.err)
                .contains("CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES")
                .doesNotContain("\tat ");
    }

    @Test
    void invalidDeviceIsAUsageError() {
        CommandRun.of("bench-device", "--device", "gpu")
                .fails(ExitCode.USAGE, "--device: expected host, cuda or a device such as cuda:1, found 'gpu'");
        CommandRun.of("bench-device", "--device", "cuda", "--link", "1GB/s")
                .fails(ExitCode.USAGE, "expected --device host, found cuda");
        CommandRun.of("bench-device", "--in-flight", "9").fails(ExitCode.USAGE, "expected 1 to 8, found 9");
    }
}
