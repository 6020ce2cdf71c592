package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.order.BatchPlan;
import io.millrace.order.Shuffle;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pipeline of the evaluation of a served run. */
class ServedPipelineTest {
    private static final String TEXT = """
            dataset: {format: folder, path: photos, epochs: 3, part: train, parts: {train: 0.75, validation: 0.25}}
            order: {seed: 9}
            stages: {decode: 2, RandomCrop: 3}
            transforms: [decode, RandomCrop: {size: 32}]
            batch: {size: 8, drop_last: true}
            device: {transforms: [RandomVerticalFlip, ToFloat, MixUp]}
            evaluate: {part: validation, transforms: [decode, CenterCrop: {size: 32}], every: 2}
            """;

    @TempDir
    Path folder;

    private ServedPipeline read(String text, String... settings) throws Exception {
        return ServedPipeline.read(write(text), List.of(settings), 2);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("some.yaml"), text);
    }

    @Test
    void evaluationHasTheOtherPartInItsOrderInBatchesOfTheSameSize() throws Exception {
        ServedPipeline served = read(TEXT);
        PipelineConfig training = served.training();
        PipelineConfig evaluation = served.evaluation().orElseThrow();

        assertThat(training.evaluate()).isEmpty();
        assertThat(training.data().dataset().spec().part())
                .hasToString("train of [train: 0.75, validation: 0.25], seed 0");
        assertThat(training.batch().dropLast()).isTrue();
        assertThat(training.data().transforms())
                .extracting(TransformSpec::name)
                .containsExactly("decode", "RandomCrop", "RandomVerticalFlip");
        assertThat(training.device().transforms()).extracting(Component::name).containsExactly("ToFloat", "MixUp");

        assertThat(evaluation.evaluate()).isEmpty();
        assertThat(evaluation.data().dataset().spec().part())
                .hasToString("validation of [train: 0.75, validation: 0.25], seed 0");
        assertThat(evaluation.data().order().shuffle()).isEqualTo(Shuffle.NONE);
        assertThat(evaluation.data().order().seed()).isEqualTo(9);
        assertThat(evaluation.data().epochs()).isEqualTo(BatchPlan.ENDLESS);
        assertThat(evaluation.data().transforms())
                .extracting(TransformSpec::name)
                .containsExactly("decode", "CenterCrop");
        assertThat(evaluation.batch()).isEqualTo(training.batch().withSize(4).withEveryRow());
        assertThat(evaluation.device().transforms()).extracting(Component::name).containsExactly("ToFloat");
        assertThat(evaluation.slots().stages().parallelism()).containsOnlyKeys("decode");
    }

    @Test
    void inputOfAPipelineWithoutAModelIsTheFirstFieldThatItSends() throws Exception {
        String text = """
                dataset: {format: jsonl, path: texts}
                batch: {size: 2, fields: [text]}
                train: {model: %s}
                """;
        PipelineConfig untrained = ConfigReader.read(write(text.formatted("none")), List.of());
        assertThat(ServedPipeline.ofSentFields(untrained).train().roles().inputs())
                .containsExactly("text");
        PipelineConfig trained = ConfigReader.read(write(text.formatted("mlp")), List.of());
        assertThat(ServedPipeline.ofSentFields(trained)).isSameAs(trained);
    }

    @Test
    void pipelineWithoutEvaluationHasNone() throws Exception {
        assertThat(read(TEXT, "evaluate=null").evaluation()).isEmpty();
    }
}
