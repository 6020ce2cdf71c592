package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.sample.SampleUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunPlannerTest {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors");

    @TempDir
    Path folder;

    private RunPlan plan(String text) throws Exception {
        return RunPlanner.plan(ConfigReader.read(Files.writeString(folder.resolve("run.yaml"), text), List.of()));
    }

    @Test
    void picturesAreCountedAsImages() throws Exception {
        assertThat(plan("dataset: { format: synthetic, size: 4, shape: [2, 2, 3], classes: 2 }")
                        .unit())
                .isEqualTo(SampleUnit.IMAGES);
    }

    @Test
    void rowsOfTablesAreCountedAsRows() throws Exception {
        Path csv = Files.writeString(folder.resolve("a.csv"), "a,label\n1,0\n2,1\n");
        assertThat(plan("dataset: { format: csv, path: " + csv + " }").unit()).isEqualTo(SampleUnit.ROWS);
    }

    @Test
    void soundsAreCountedAsSamples() throws Exception {
        Path sounds = Files.createDirectories(folder.resolve("sounds/birds"));
        Files.copy(VECTORS.resolve("audio/float32-stereo.wav"), sounds.resolve("a.wav"));
        RunPlan plan = plan("dataset: { format: folder, path: " + sounds.getParent() + " }\ntransforms: [ decode ]");
        assertThat(plan.unit()).isEqualTo(SampleUnit.SAMPLES);
    }
}
