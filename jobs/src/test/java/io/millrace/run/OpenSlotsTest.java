package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SlotsConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenSlotsTest {
    @TempDir
    Path folder;

    private PipelineConfig pipeline(String... settings) throws Exception {
        Path file = Files.writeString(
                folder.resolve("p.yaml"), "dataset: {format: synthetic, size: 8, shape: [4, 4, 3]}\n");
        return ConfigReader.read(file, List.of(settings));
    }

    @Test
    void jobWithoutANumberUsesTheFreeSlots() throws Exception {
        OpenSlots fixed = OpenSlots.of(pipeline(), 6, false).orElseThrow();
        assertThat(fixed.slots().parallelism()).isEqualTo(6);
        assertThat(fixed.slots().meaning()).isEqualTo(SlotsConfig.Meaning.GIVEN);
        assertThat(fixed.line()).isEqualTo("6 slots are free: the job uses all of them (parallelism is not set)");
    }

    @Test
    void adaptiveSchedulerAlsoUsesSlotsThatAreAdded() throws Exception {
        OpenSlots open = OpenSlots.of(pipeline(), 1, true).orElseThrow();
        assertThat(open.slots().parallelism()).isEqualTo(16);
        assertThat(open.slots().meaning()).isEqualTo(SlotsConfig.Meaning.MOST);
        assertThat(open.line()).startsWith("1 slot is free: the job uses all of them, and up to 16 when");
        assertThat(OpenSlots.of(pipeline(), 50, true).orElseThrow().slots().parallelism())
                .isEqualTo(200);
        assertThat(OpenSlots.of(pipeline(), 0, true).orElseThrow().line())
                .isEqualTo(
                        "no slot is free: the job uses the slots that become free, up to 16 (parallelism is not set)");
    }

    @Test
    void numberOfTheFileStays() throws Exception {
        assertThat(OpenSlots.of(pipeline("parallelism=2"), 6, false)).isEmpty();
        assertThat(OpenSlots.of(pipeline("parallelism=auto"), 6, true)).isEmpty();
        assertThat(OpenSlots.of(pipeline("stages=one_task"), 6, false)).isEmpty();
        assertThat(OpenSlots.of(pipeline(), 0, false))
                .as("the job waits for its slots")
                .isEmpty();
    }
}
