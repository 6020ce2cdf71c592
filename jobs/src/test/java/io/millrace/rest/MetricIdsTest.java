package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Tests without Flink. {@link FlinkRestITCase} checks the names that Flink itself creates. */
class MetricIdsTest {
    @Test
    void metricOfAStageWithALongerNameIsNotTheStages() {
        assertThat(MetricIds.isOf("Crop", "RandomCrop.millrace.records")).isFalse();
        assertThat(MetricIds.isOf("RandomCrop", "RandomCrop.millrace.records")).isTrue();
    }

    @Test
    void sourceIsFoundUnderFlinksNameForIt() {
        assertThat(MetricIds.isOf("read", "Source__read.millrace.records")).isTrue();
    }

    @Test
    void metricOfFlinkIsNotMillraces() {
        assertThat(MetricIds.isOurs("decode.numRecordsIn")).isFalse();
        assertThat(MetricIds.isOf("decode", "decode.numRecordsIn")).isFalse();
    }

    @Test
    void onlyDeclaredFiguresAndFlinksTaskRatesAreRead() {
        assertThat(MetricIds.isRead("decode.millrace.records")).isTrue();
        assertThat(MetricIds.isRead("decode.millrace.ownNanosPerRecord_median")).isTrue();
        assertThat(MetricIds.isRead("decode.millrace.ownNanosPerRecord_p99")).isTrue();
        assertThat(MetricIds.isRead("decode.millrace.ownNanosPerRecord_p999")).isFalse();
        assertThat(MetricIds.isRead("busyTimeMsPerSecond")).isTrue();
        assertThat(MetricIds.isRead("decode.numRecordsIn")).isFalse();
    }

    @Property
    void queriesHoldEveryIdAndAreNotTooLong(@ForAll @IntRange(max = 400) int count) {
        List<String> ids = Collections.nCopies(count, "RandomResizedCrop.millrace.ownNanos");
        List<String> queries = MetricIds.queries(ids);
        assertThat(queries).allMatch(query -> query.length() <= 3500);
        assertThat(String.join(",", queries)).isEqualTo(String.join(",", ids));
    }
}
