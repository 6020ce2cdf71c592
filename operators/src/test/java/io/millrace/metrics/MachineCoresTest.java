package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineCoresTest {
    private long nanos;
    private long cpuNanos = 5_000_000_000L;
    private double load = 0.25;
    private int asked;

    private final MachineCores cores = new MachineCores(
            8,
            () -> nanos,
            () -> {
                asked++;
                return load;
            },
            () -> cpuNanos);

    @Test
    void nothingIsKnownInTheFirstSecond() {
        nanos += MachineCores.LEAST_NANOS - 1;

        assertThat(cores.busyCores()).isNaN();
        assertThat(cores.processCores()).isNaN();
    }

    @Test
    void busyCoresCoverTheTimeSinceTheLatestMeasurement() {
        nanos += 2_000_000_000L;
        cpuNanos += 3_000_000_000L;
        assertThat(cores.processCores()).isEqualTo(1.5);
        assertThat(cores.busyCores()).isEqualTo(2.0);

        nanos += 4_000_000_000L;
        cpuNanos += 2_000_000_000L;
        load = 0.5;
        assertThat(cores.processCores()).isEqualTo(0.5);
        assertThat(cores.busyCores()).isEqualTo(4.0);
    }

    @Test
    void systemIsReadAtMostOnceASecond() {
        nanos += MachineCores.LEAST_NANOS;
        cores.busyCores();
        int once = asked;
        load = 1;
        nanos += MachineCores.LEAST_NANOS - 1;

        assertThat(cores.busyCores()).isEqualTo(2.0);
        assertThat(asked).isEqualTo(once);
    }

    @Test
    void systemWithoutTheValueIsUnknownAndNotZero() {
        nanos += MachineCores.LEAST_NANOS;
        load = -1;
        cpuNanos = -1;

        assertThat(cores.busyCores()).isNaN();
        assertThat(cores.processCores()).isNaN();
    }

    @Test
    void thisMachineShowsItsCores() {
        RecordingMetricGroup group = new RecordingMetricGroup();
        MachineCores.register(group);

        assertThat(group.value("millrace.machineCores"))
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(group.names())
                .containsExactlyInAnyOrderElementsOf(Figures.of(Figure.Owner.MACHINE).stream()
                        .map(figure -> "millrace." + figure.name())
                        .toList());
    }
}
