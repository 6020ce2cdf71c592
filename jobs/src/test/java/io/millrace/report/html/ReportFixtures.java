package io.millrace.report.html;

import static io.millrace.rest.Readings.nanos;

import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic.Part;
import io.millrace.report.Profile;
import io.millrace.report.RunSummary;
import io.millrace.report.VerdictSummary;
import io.millrace.rest.StageReading;
import io.millrace.sample.ReasonCounts;
import io.millrace.sample.SampleUnit;
import io.millrace.sink.figures.EpochRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Contents of reports for tests. */
final class ReportFixtures {
    /** A name that ends scripts, elements and attributes when it is not escaped. */
    static final String HOSTILE = "a</script><script>document.title='broken'</script><b x=\"'&{{body}}$1.jpg";

    private ReportFixtures() {}

    /** A run in which everything was measured, and every name is hostile. */
    static ReportData full() {
        Histogram steps = new Histogram(3);
        Histogram waits = new Histogram(3);
        List<StepSpan> spans = new ArrayList<>();
        for (int i = 1; i <= 500; i++) {
            steps.recordValue(1_000_000L + 20_000L * (i % 37));
            waits.recordValue(2_000L * (i % 11));
            spans.add(new StepSpan(i * 0.01, 0.01, i % 5 == 0 ? 0.004 : 0, 64, 64.0 * 100 / i, 64));
        }
        return new ReportData(
                summary(
                        verdict(),
                        List.of(stage("read", 210.0), stage(HOSTILE, null).with(code()))),
                new Profile(
                        List.of(new Profile.Row(HOSTILE, 180_000L, 210.0, null, 1.0)),
                        List.of(new Profile.Row("forward", 2_814L, 900.0, 1.25, 0.4)),
                        List.of()),
                "2026-11-21 12:00:00 +00:00",
                ConfigurationText.of(configuration()),
                Map.of("system", HOSTILE),
                Map.of("train", spans),
                false,
                Optional.of(Spread.of(steps)),
                Optional.of(Spread.of(waits)),
                Optional.of(new QuarantineHead(
                        250,
                        List.of(new QuarantineHead.Line(HOSTILE, "17", "3", "decode", "expected a JPEG")),
                        reasons())));
    }

    private static ReasonCounts reasons() {
        ReasonCounts reasons = new ReasonCounts();
        reasons.add("expected a JPEG", HOSTILE);
        reasons.add("expected a JPEG", "b.jpg");
        return reasons;
    }

    /** A run that failed before anything was measured. */
    static ReportData empty() {
        return new ReportData(
                new RunSummary(
                        "none",
                        RunSummary.Status.FAILED,
                        "no room: " + HOSTILE,
                        new RunSummary.Setup("host", 2, null),
                        new RunSummary.Counts(0, 0, 0, 0, 0, null, null),
                        new RunSummary.Speed(1.5, null, null, null, List.of(), null, null, null),
                        new RunSummary.WireColumns(List.of(), null, null),
                        new RunSummary.Result(null, null, null, List.of()),
                        List.of(),
                        List.of(),
                        null,
                        List.of(StageReading.unknown("read", 2)),
                        Map.of("java", "17")),
                Profile.EMPTY,
                "2026-11-21 12:00:00 +00:00",
                ConfigurationText.of(configuration()),
                Map.of(),
                Map.of("train", List.of()),
                true,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** A diagnosis with a rung that was not measured, and a stage of unknown time. */
    static DiagnosisData diagnosis() {
        return new DiagnosisData(
                HOSTILE,
                "2026-11-21 12:00:00 +00:00",
                verdict(),
                SampleUnit.ROWS,
                List.of(
                        new LadderRung("device", null, null, null, null, null, null),
                        new LadderRung("host", "transfer", 9_000.0, 0.01, 0.5, -0.01, 8_000.0),
                        new LadderRung(HOSTILE, "after " + HOSTILE, 2_500.0, null, 1.0, 0.7, 2_400.0)),
                HOSTILE + " costs the most time",
                "after " + HOSTILE,
                256,
                List.of(
                        new DiagnosisData.StageTime("read", 2, 0.3, 0.1),
                        new DiagnosisData.StageTime(HOSTILE, 2, null, null)),
                List.of(
                        new DiagnosisData.Suggestion("--set parallelism=4", "more slots; " + HOSTILE, "3,020 to 3,200"),
                        new DiagnosisData.Suggestion("buy a disk", HOSTILE, null)),
                List.of(new DiagnosisData.Suggestion("--set parallelism=4", "more slots; " + HOSTILE, null)),
                new DiagnosisData.Outcome("photos.improved.yaml", 1_930, "3,020 to 3,200", 3_010),
                configuration(),
                Map.of("system", HOSTILE));
    }

    static RunSummary summary(VerdictSummary verdict, List<StageReading> stages) {
        return new RunSummary(
                HOSTILE,
                RunSummary.Status.FINISHED,
                null,
                new RunSummary.Setup("host", 2, "scalar"),
                new RunSummary.Counts(3, 2814, 180_000, 250, 750, 0, null),
                new RunSummary.Speed(9.1, 3.2, 19_780.0, 52_310.0, List.of(1.3, 1.1, 1.1), 0.07, 0.4, 788L),
                new RunSummary.WireColumns(
                        List.of(new RunSummary.Wire(
                                "image", "uint8", 784.0, 2352.0, "normalised on the device: 4x less than float32")),
                        2352.0,
                        423_360_000L),
                new RunSummary.Result(
                        0.25,
                        0.987,
                        "ab12",
                        List.of(
                                new EpochRecord(0, 2.5, 60_000, 0.1, 0.5, 0.375, 0.9),
                                new EpochRecord(1, 2.5, 60_000, 0.1, 0.3, 0.25, 0.987))),
                List.of(),
                List.of(),
                verdict,
                stages,
                Map.of("java", "17"));
    }

    private static VerdictSummary verdict() {
        return new VerdictSummary(
                "read",
                null,
                "slots",
                1_930.0,
                3_120.0,
                3_020.0,
                3_200.0,
                "transfer",
                3_450.0,
                "high",
                "both agree",
                "limited by read: 1,930 images/s, about 3,120 without this limit; " + HOSTILE,
                "limited by read: 1,930 images/s; " + HOSTILE,
                List.of("task 'x': Flink says busy 90 %, its stages account for 10 %"),
                null);
    }

    private static CodeProfile code() {
        return new CodeProfile(HOSTILE, 80, List.of(new CodeLine(HOSTILE, 7, HOSTILE, HOSTILE, 60)));
    }

    private static StageReading stage(String name, @Nullable Double ownMillis) {
        return StageReading.unknown(name, 2)
                .with(Figures.RECORDS, 180_000)
                .with(Figures.OWN_NANOS, nanos(ownMillis))
                .with(Figures.CPU_NANOS, nanos(100.0))
                .with(Figures.WAIT_IN_NANOS, nanos(40.0))
                .with(Figures.WAIT_OUT_NANOS, nanos(50.0))
                .with(Figures.BYTES_PRODUCED, 1)
                .with(Figures.FAILURES, 0)
                .with(Figures.CORE_WAIT_NANOS, nanos(3.0))
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.MEDIAN), nanos(0.001))
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.P99), nanos(0.002))
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.MAX), nanos(1.5));
    }

    private static Map<String, Object> configuration() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", HOSTILE);
        values.put("transforms", List.of());
        values.put("flink", Map.of("s3.secret-key", "***"));
        values.put("more", List.of());
        return values;
    }
}
