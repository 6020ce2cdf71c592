package io.millrace.diagnosis.ladder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.Catalogs;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

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
