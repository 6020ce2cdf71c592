package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cluster.FreePorts;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that answers is in SubmissionE2E. */
class ClientClusterTest {
    private static final String CORES =
            Runtime.getRuntime().availableProcessors() + " slots, the cores of this machine (parallelism is not set)\n";

    @TempDir
    Path folder;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private PipelineConfig config(String... settings) throws Exception {
        Path file = Files.writeString(folder.resolve("trial.yaml"), "dataset: {format: synthetic, size: 5}\n");
        return ConfigReader.read(file, List.of(settings));
    }

    private String printed(PipelineConfig config, Configuration flink) throws Exception {
        PrintStream text = new PrintStream(printed, true, StandardCharsets.UTF_8);
        assertThat(ClientCluster.withFreeSlots(config, flink, text)).isEqualTo(config);
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void addressIsThatOfTheClientsConfiguration() {
        Configuration flink = new Configuration();
        assertThat(ClientCluster.web(flink)).isEmpty();
        flink.set(RestOptions.ADDRESS, "gpu-1");
        assertThat(ClientCluster.web(flink).orElseThrow()).hasToString("http://gpu-1:8081");
        flink.set(RestOptions.PORT, 9000);
        flink.set(SecurityOptions.SSL_REST_ENABLED, true);
        assertThat(ClientCluster.web(flink).orElseThrow()).hasToString("https://gpu-1:9000");
        flink.set(RestOptions.ADDRESS, "::1");
        assertThat(ClientCluster.web(flink).orElseThrow()).hasToString("https://[::1]:9000");
    }

    @Test
    void unknownClusterIsReported() throws Exception {
        assertThat(printed(config(), new Configuration()))
                .isEqualTo(
                        "slots   the free slots of the cluster are unknown (Flink's configuration has no rest.address"
                                + " that names the cluster): the job uses " + CORES);
    }

    @Test
    void silentClusterIsReported() throws Exception {
        Configuration flink = new Configuration();
        flink.set(RestOptions.ADDRESS, "127.0.0.1");
        flink.set(RestOptions.PORT, FreePorts.any());
        assertThat(printed(config(), flink))
                .contains("unknown (no answer from Flink at http://127.0.0.1:", "no program listens there")
                .endsWith("): the job uses " + CORES);
    }

    @Test
    void numberOfTheFileIsKept() throws Exception {
        assertThat(printed(config("parallelism=3"), new Configuration())).isEmpty();
        assertThat(printed(config("parallelism=auto"), new Configuration())).isEmpty();
    }
}
