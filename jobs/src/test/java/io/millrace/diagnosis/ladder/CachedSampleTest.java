package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.Catalogs;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.sample.Field;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CachedSampleTest {
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
            assertThat(dataset.holdsPacks()).isTrue();
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
