package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.serve.ServeSpec;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedEvaluationTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private String plan(Optional<ServeDoor> door, String evaluate) throws Exception {
        Path file = Files.writeString(
                folder.resolve("x.yaml"),
                "dataset: { format: synthetic, size: 8 }\nevaluate: { dataset: { " + evaluate + " } }\n");
        ServedPipeline pipeline = ServedPipeline.read(file, List.of(), 1);
        try (Serving serving = new Serving(ServeSpec.Network.LOOPBACK, door, 1, Optional.empty());
                PrintStream text = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            serving.withEvaluation(pipeline.evaluation().orElseThrow(), pipeline.every());
            serving.evaluation().orElseThrow().plan(text);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void mistakeIsPrintedWhereACommandStaysThatReportsItToClients() throws Exception {
        ServeDoor door = ServeDoor.of("127.0.0.1", 0, ServeDoor.Encryption.REQUIRED, Map.of());
        assertThat(plan(Optional.of(door), "format: idx, path: " + folder + "/gone"))
                .startsWith("warning the evaluation cannot be delivered: ")
                .contains("gone");
    }

    @Test
    void mistakeEndsACommandThatWouldLeaveItsClientsAlone() {
        assertThatThrownBy(() -> plan(Optional.empty(), "format: idx, path: " + folder + "/gone"))
                .isInstanceOf(PipelineException.class)
                .hasMessageStartingWith("the evaluation cannot be delivered: ")
                .hasMessageContaining("gone");
    }

    @Test
    void evaluationIsPlannedInSilence() throws Exception {
        assertThat(plan(Optional.empty(), "format: synthetic, size: 8")).isEmpty();
    }
}
