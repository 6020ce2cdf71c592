package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.npy.NpyFile;
import io.millrace.diagnosis.advice.DatasetFacts;
import io.millrace.diagnosis.advice.DatasetFacts.Kind;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FactsProbeTest {
    private static final int SAMPLES = 20;
    private static final int WIDTH = 200;

    @TempDir
    Path folder;

    private Path pipeline;

    @BeforeEach
    void write() throws IOException {
        Random random = new Random(2);
        float[] floats = new float[SAMPLES * WIDTH];
        float[] rare = new float[SAMPLES * WIDTH];
        byte[] flags = new byte[SAMPLES * WIDTH];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = random.nextFloat();
            rare[i] = i % 100 == 7 ? 3 : 0;
            flags[i] = (byte) random.nextInt(2);
        }
        // One sample has a number that is out of the range of float16.
        floats[5] = 1e6f;
        int[] shape = {SAMPLES, WIDTH};
        Files.write(folder.resolve("floats.npy"), NpyFile.of(shape, floats));
        Files.write(folder.resolve("rare.npy"), NpyFile.of(shape, rare));
        Files.write(folder.resolve("flags.npy"), NpyFile.of(DType.UINT8, shape, flags));
        pipeline = Files.writeString(folder.resolve("facts.yaml"), """
                dataset: {format: npy, path: %s, fields: {floats: floats.npy, rare: rare.npy, flags: flags.npy}}
                batch: {size: 4, fields: [floats, rare, flags]}
                train: {model: none, input: [floats]}
                """.formatted(folder));
    }

    @Test
    void narrowerWireFormsAreFoundFromTheValues() throws Exception {
        DatasetFacts facts = FactsProbe.probe(ConfigReader.read(pipeline, List.of()));

        assertThat(facts.wires())
                .extracting(DatasetFacts.Wire::field, DatasetFacts.Wire::kind)
                .containsExactly(
                        tuple("floats", Kind.FLOAT32),
                        tuple("rare", Kind.MOSTLY_ZERO),
                        tuple("flags", Kind.ZERO_OR_ONE));
        // A sparse row holds two values with their indexes, and its end.
        assertThat(facts.wires().get(1).sparse()).isCloseTo((2 * 8 + 4) / 800.0, within(1e-9));
    }

    @Test
    void samplesThatPackingWouldQuarantineAreLeftOut() throws Exception {
        PipelineConfig config =
                ConfigReader.read(pipeline, List.of("order.shuffle=none", "batch.wire={floats: float16}"));
        RunPlan plan = RunPlanner.plan(config);

        List<CachedSample> samples = new SampleCollector(config, plan, SAMPLES).collect(0);

        assertThat(samples).hasSize(SAMPLES - 1);
    }
}
