package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.run.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code serve} prints and writes. */
class ServedOutputITCase {
    private static final int STEPS = 12;

    @TempDir
    Path folder;

    @Test
    void outputSpeaksOfTheClientsAndOfNoDevice() throws Exception {
        Path photos = SmallData.photos(folder.resolve("photos"), 40, 6, 1);
        Path pipeline = SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs"));
        ServedRun run = new ServedRun(pipeline, folder, 1, List.of("--listen", "127.0.0.1:0", "--trace"));
        try (ServedClient client = run.client(0, "inline").seek(0)) {
            for (int step = 0; step < STEPS; step++) {
                assertThat(client.take().step()).isEqualTo(step);
            }
            client.requireEnd(STEPS);
            client.bye();
        }
        CommandRun ended = run.ended(ExitCode.OK);
        Path written = CommandRun.folder(folder.resolve("runs"));

        assertThat(ended.err())
                .contains("batches of 8, for 1 client", "sent    image: uint8, for your training loop")
                .contains(
                        "serves  unix:", "6 bad samples (quarantine.jsonl)", "trace   " + written.resolve("trace.json"))
                .doesNotContain("device", "trainer", "bytes saved");
        JsonNode summary = ended.json();
        assertThat(summary.required("device").asText()).isEqualTo("client");
        assertThat(summary.required("saved_bytes").isNull()).isTrue();
        JsonNode stages = summary.required("stages");
        assertThat(stages.findValuesAsText("name")).endsWith("pack", "assemble", "train");
        JsonNode loop = stages.get(stages.size() - 1);
        assertThat(loop.required("own_ms").asDouble()).isEqualTo(STEPS * ServedClient.BUSY_NANOS / 1e6);
        assertThat(loop.required("cpu_ms").isNull()).isTrue();
        assertThat(loop.required("core_wait_ms").isNull()).isTrue();
        assertThat(Files.readString(written.resolve("report.html")))
                .contains("of your training loop&#39;s time", "step of your training loop", "Mean bytes of a sample.")
                .doesNotContain(
                        "of the trainer&#39;s time",
                        "transfer",
                        "Training loss",
                        ">loss<",
                        "types that training uses",
                        "inputs",
                        "model: none");
        assertThat(new ObjectMapper()
                        .readTree(written.resolve("trace.json").toFile())
                        .required("traceEvents"))
                .isNotEmpty();
        assertThat(Files.readAllLines(written.resolve("quarantine.jsonl"))).hasSize(6);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(written.resolve("serve.token"))))
                .isEqualTo("rw-------");
    }
}
