package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.preview.PreviewRun;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlantTextsTest {
    @TempDir
    Path folder;

    @Test
    void idsAreThoseThatTheTokenizerMakesOfTheTextsAndTheLibraryHasTheTokenizer() throws Exception {
        Plant plant = Plants.named("slow-tokenizer");
        plant.setting().data().write(folder);
        Path file = Files.writeString(
                folder.resolve("a.yaml"), plant.setting().pipeline().replace(Plant.DATA, folder.toString()));
        List<String> fix = plant.fix().settings().stream()
                .map(setting -> setting.replace(Plant.DATA, folder.toString()))
                .toList();
        PipelineConfig texts = ConfigReader.read(file, List.of());
        PipelineConfig ids = ConfigReader.read(file, fix);
        RunPlan ofTexts = RunPlanner.plan(texts);
        RunPlan ofIds = RunPlanner.plan(ids);

        assertThat(ofTexts.remarks()).anyMatch(remark -> remark.contains(": engine tokenizers, because "));
        assertThat(ofTexts.packFill()).isEqualTo(ofIds.packFill()).hasValueSatisfying(fill -> {
            assertThat(fill.fill()).isGreaterThan(0.97);
            assertThat(fill.fuller()).isNull();
        });
        try (PreviewRun one = PreviewRun.open(texts, ofTexts, Split.TRAIN, 0);
                PreviewRun two = PreviewRun.open(ids, ofIds, Split.TRAIN, 0)) {
            assertThat(one.samples()).isEqualTo(two.samples()).isGreaterThan(200);
            for (int i = 0; i < 3; i++) {
                Sample text = one.view(i).sample();
                Sample id = two.view(i).sample();
                assertThat(text.field("tokens").data())
                        .isEqualTo(id.field("tokens").data());
                assertThat(text.field("lengths").data())
                        .isEqualTo(id.field("lengths").data());
            }
        }
    }

    @Test
    void withoutPackingSequencesAreFilledToAThird() throws Exception {
        Plant plant = Plants.named("badly-filled-sequences");
        plant.setting().data().write(folder);
        Path file = Files.writeString(
                folder.resolve("a.yaml"), plant.setting().pipeline().replace(Plant.DATA, folder.toString()));
        RunPlan bad = RunPlanner.plan(ConfigReader.read(file, List.of()));
        RunPlan fixed = RunPlanner.plan(ConfigReader.read(file, plant.fix().settings()));

        double steps = (double) fixed.batches().size() / bad.batches().size();
        assertThat(bad.packFill()).hasValueSatisfying(fill -> {
            assertThat(fill.fill()).isBetween(0.25, 0.35);
            assertThat(Objects.requireNonNull(fill.fuller()).steps()).isEqualTo(steps);
        });
        assertThat(bad.remarks()).anyMatch(remark -> remark.contains("ids.bin: sequences are filled to "));
        assertThat(fixed.packFill().orElseThrow().fuller()).isNull();
    }
}
