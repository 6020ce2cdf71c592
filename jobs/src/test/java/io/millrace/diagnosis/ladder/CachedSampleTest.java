package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.Catalogs;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.sample.Field;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CachedSampleTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    @TempDir
    private Path folder;

    private static final CachedSample SAMPLE =
            CachedSample.of(new Sample(3, "a.png", 7).put(Sample.IMAGE, Field.image(1, 2, 1, new byte[] {5, 6})));

    @Test
    void writesOfStagesDoNotReachTheCache() throws Exception {
        try (SampleCaches.Lease lease = SampleCaches.lend(List.of(SAMPLE));
                Dataset dataset = CachedFormat.spec(lease, 4, 2, CachedDataset.Use.CHANGED)
                        .open()) {
            dataset.read(2).image().data()[0] = 99;

            Sample again = dataset.read(3);
            assertThat(again.image().data()).containsExactly(5, 6);
            assertThat(again.index()).isEqualTo(3);
            assertThat(again.label()).isEqualTo(7);
            assertThat(dataset.size()).isEqualTo(4);
            assertThat(dataset.resident()).isTrue();
            assertThatThrownBy(() -> dataset.read(4)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void samplesThatAreOnlyReadShareTheirArrays() throws Exception {
        try (SampleCaches.Lease lease = SampleCaches.lend(List.of(SAMPLE));
                Dataset dataset =
                        CachedFormat.spec(lease, 2, 2, CachedDataset.Use.READ).open()) {
            assertThat(dataset.read(0).image().data())
                    .isSameAs(dataset.read(1).image().data());
        }
    }

    @ParameterizedTest
    @EnumSource(CachedDataset.Use.class)
    void packThatIsNotJoinedKeepsItsDocuments(CachedDataset.Use use) throws Exception {
        Sample document = new Sample(11, "texts.jsonl:11", -1).put("text", Field.text(new byte[] {1, 2, 3}));
        Sample pack = new Sample(0, "pack 0", -1).ofParts(List.of(new Part(document, 1, 3), new Part(document, 0, 1)));
        CachedSample cached = CachedSample.of(pack);
        document.field("text").data()[0] = 99;

        assertThat(cached.bytes()).isEqualTo(6);
        try (SampleCaches.Lease lease = SampleCaches.lend(List.of(cached));
                Dataset dataset = CachedFormat.spec(lease, 2, 0, use).open()) {
            assertThat(dataset.packed()).isTrue();
            Sample read = dataset.read(1);
            assertThat(read.fieldNames()).isEmpty();
            assertThat(read.parts()).extracting(Part::from).containsExactly(1, 0);
            assertThat(read.parts()).extracting(Part::to).containsExactly(3, 1);
            assertThat(read.parts()).allSatisfy(part -> {
                assertThat(part.sample().index()).isEqualTo(11);
                assertThat(part.sample().field("text").data()).containsExactly(1, 2, 3);
            });
        }
    }

    @Test
    void packKeepsItsDocumentsAndIsNotPackedAgain() throws Exception {
        Path texts = Files.write(
                folder.resolve("texts.jsonl"),
                IntStream.range(0, 40)
                        .mapToObj(i -> "{\"text\": \"" + "word ".repeat(1 + i % 7) + "\"}")
                        .toList());
        PipelineConfig config = ConfigReader.read(
                Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: jsonl, path: %s }
                order: { shuffle: none }
                transforms: [ tokenize: { tokenizer: %s }, pack_sequences: { length: 32 } ]
                batch: { size: 2 }
                train: { model: none, input: [tokens, lengths] }
                """.formatted(texts, TOKENIZER)), List.of());
        RunPlan plan = RunPlanner.plan(config);
        SampleCollector collector = new SampleCollector(config, plan, 4);
        for (int done : new int[] {0, 1, 2}) {
            List<CachedSample> samples = collector.collect(done);
            List<CachedSample> joined = collector.collect(2);
            assertThat(samples).hasSize(4).allMatch(sample -> sample.isPack() == done < 2 && sample.bytes() > 0);
            try (SampleCaches.Lease lease = SampleCaches.lend(samples)) {
                PipelineConfig rung =
                        RungPipelines.cached(config, CachedFormat.spec(lease, 4, 1, CachedDataset.Use.CHANGED), done);
                RunPlan cached = RunPlanner.plan(rung);

                assertThat(cached.sequences().train()).isEmpty();
                assertThat(cached.batches().size()).isEqualTo(4);
                List<CachedSample> again = new SampleCollector(rung, cached, 4).collect(2 - done);
                for (int i = 0; i < 4; i++) {
                    assertThat(again.get(i).names()).isEqualTo(joined.get(i).names());
                    assertThat(again.get(i).fields().get(0).data())
                            .isEqualTo(joined.get(i).fields().get(0).data());
                }
            }
        }
    }

    @Test
    void closedLeaseRemovesTheCache() {
        DatasetSpec spec;
        try (SampleCaches.Lease lease = SampleCaches.lend(List.of(SAMPLE))) {
            spec = CachedFormat.spec(lease, 1, 1, CachedDataset.Use.READ);
        }

        assertThatThrownBy(spec::open).isInstanceOf(DatasetException.class).hasMessageContaining("no cache");
    }

    @Test
    void formatIsNotInstalledForPipelineFiles() {
        assertThat(Catalogs.installed().formats())
                .extracting(format -> format.name())
                .doesNotContain("cached");
    }
}
