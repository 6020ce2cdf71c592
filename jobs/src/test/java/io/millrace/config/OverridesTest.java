package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverridesTest {
    @TempDir
    Path folder;

    @Test
    void laterOverrideWinsOverEarlierOneAndFile() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST + "batch: {size: 5}\n");

        assertThat(text.read("batch.size=6").batch().size()).isEqualTo(6);
        assertThat(text.read("batch.size=6", "batch.size=7").batch().size()).isEqualTo(7);
    }

    @Test
    void missingSectionsAreCreated() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST)
                .read(
                        "evaluate.dataset.format=idx",
                        "evaluate.dataset.path=test",
                        "device.transforms.0.ToFloat.scale=9");

        assertThat(config.evaluate().orElseThrow().dataset().spec().path()).isEqualTo("test");
        assertThat(config.device().transforms().get(0).options().raw()).containsEntry("scale", 9L);
    }

    @Test
    void nullRemovesAKeyOfTheFile() throws Exception {
        PipelineText text = PipelineText.of(
                folder,
                PipelineText.SMALLEST + "batch: {size: 5}\nevaluate: {dataset: {format: folder, path: test}}\n");

        assertThat(text.read().evaluate()).isPresent();
        assertThat(text.read("evaluate=null").evaluate()).isEmpty();
        assertThat(text.read("batch.size=null").batch().size()).isEqualTo(64);
        assertThat(text.problems("batch.sise=null"))
                .hasSize(1)
                .first()
                .asString()
                .contains("did you mean 'size'?");
    }

    @Test
    void listEntryIsReplacedByIndexAndNextIndexAppends() throws Exception {
        PipelineConfig config = PipelineText.of(
                        folder,
                        PipelineText.SMALLEST + "transforms:\n  - decode\n  - RandomResizedCrop: {size: [8, 8]}\n")
                .read("transforms.1.RandomResizedCrop.size=[128, 64]", "transforms.2=RandomHorizontalFlip");

        assertThat(config.data().transforms())
                .extracting(t -> t.name())
                .containsExactly("decode", "RandomResizedCrop", "RandomHorizontalFlip");
        assertThat(config.data().transforms().get(1).options().raw()).containsEntry("size", List.of(128L, 64L));
    }

    @Test
    void nameBecomesNameWithOptions() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST.replace("none", "mlp"))
                .read(
                        "train.model.mlp.hidden=[9]",
                        "transforms=[decode, RandomHorizontalFlip]",
                        "transforms.1.RandomHorizontalFlip.p=1");

        assertThat(config.train().recipe().model().options().raw()).containsEntry("hidden", List.of(9L));
        assertThat(config.data().transforms().get(1).options().raw()).containsEntry("p", 1L);
    }

    @Test
    void wordForAllStagesIsReplacedByNamedStages() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST + "stages: separate\n")
                .read("stages.read=3");

        assertThat(config.slots().stages().parallelism()).containsExactlyEntriesOf(Map.of("read", 3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batch.size=x      | batch.size: expected a whole number of at least 1, found 'x'",
                "batch.size=       | batch.size: expected a whole number of at least 1, found nothing",
                "batch.sise=3      | batch.sise: unknown key, did you mean 'size'?",
                "bathc.size=3      | bathc: unknown key, did you mean 'batch'?",
                "checkpoint.interval=2m | checkpoint.interval: expected a time such as 500ms, 30s or 5min, found '2m'",
                "dataset.epochs=0  | dataset.epochs: expected a whole number of at least 1, or 'endless', found 0",
                "transforms.x=decode | transforms: has 1 entries, expected an index from 0 to 1, found 'x'",
                "transforms.9=decode | transforms: has 1 entries, expected an index from 0 to 1, found '9'",
                "train.model=[     | train.model: not YAML: ",
                "batch.size        | expected key=value, as in batch.size=32",
                "=5                | expected key=value, as in batch.size=32",
                "batch..size=5     | expected key=value, as in batch.size=32",
            })
    void badOverrideIsReportedWithItsText(String override, String expected) {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "transforms: [decode]\n")
                        .problems(override))
                .singleElement()
                .asString()
                .startsWith("--set " + override + ": " + expected);
    }
}
