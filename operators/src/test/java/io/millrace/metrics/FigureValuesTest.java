package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Statistic.Part;
import org.junit.jupiter.api.Test;

class FigureValuesTest {
    private static final FigureValues VALUES = FigureValues.NONE
            .with(Figures.RECORDS, 3)
            .with(Figures.OWN_NANOS, 2_500_000)
            .with(Figures.OWN_NANOS_PER_RECORD.of(Part.P99), 7_000_000);

    @Test
    void valuesAreReadInTheUnitThatIsNeeded() {
        assertThat(VALUES.count(Figures.RECORDS)).isEqualTo(3);
        assertThat(VALUES.number(Figures.OWN_NANOS)).isEqualTo(2.5e6);
        assertThat(VALUES.millis(Figures.OWN_NANOS)).isEqualTo(2.5);
        assertThat(VALUES.shown(Figures.RECORDS.main())).isEqualTo(3L);
        assertThat(VALUES.shown(Figures.OWN_NANOS_PER_RECORD.of(Part.P99))).isEqualTo(7.0);
    }

    @Test
    void unknownIsNull() {
        assertThat(VALUES.count(Figures.FAILURES)).isNull();
        assertThat(VALUES.millis(Figures.CPU_NANOS)).isNull();
        assertThat(VALUES.shown(Figures.CPU_NANOS.main())).isNull();
    }

    @Test
    void notANumberIsUnknown() {
        assertThat(VALUES.with(Figures.RECORDS, Double.NaN).count(Figures.RECORDS))
                .isNull();
        assertThat(VALUES.with(Figures.RECORDS, null).count(Figures.RECORDS)).isNull();
        assertThat(FigureValues.read(Figures.statistics(Owner.TRAINER), statistic -> Double.NaN))
                .isEqualTo(FigureValues.NONE);
    }

    @Test
    void earlierValuesReplaceUnknownOnes() {
        FigureValues later = FigureValues.NONE.with(Figures.RECORDS, 4).orElse(VALUES);

        assertThat(later.count(Figures.RECORDS)).isEqualTo(4);
        assertThat(later.millis(Figures.OWN_NANOS)).isEqualTo(2.5);
    }
}
