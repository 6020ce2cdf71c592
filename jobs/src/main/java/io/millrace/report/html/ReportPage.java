package io.millrace.report.html;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.metrics.CodeProfile;
import io.millrace.report.CodeTable;
import io.millrace.report.DeviceUseSummary;
import io.millrace.report.Profile;
import io.millrace.report.ProfileTable;
import io.millrace.report.RunSummary;
import io.millrace.report.StageColumns;
import io.millrace.report.VerdictSummary;
import io.millrace.rest.StageReading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page of a run. Pure, except that it reads resources of the program. */
final class ReportPage {
    /** The largest number of reasons of bad samples that are counted in a sentence. */
    private static final int MOST_REASONS = 10;

    private ReportPage() {}

    /** Returns the whole page. */
    static String render(ReportData data) {
        RunSummary summary = data.summary();
        ObjectNode charts = ChartData.of(data);
        return Page.of(
                summary.name(),
                word(summary.status()),
                data.endedAt(),
                VerdictSection.of(summary) + sections(data, charts),
                charts);
    }

    private static String sections(ReportData data, ObjectNode charts) {
        return course(data, charts)
                + stages(data.summary(), charts)
                + (data.summary().setup().belongsToClients() ? "" : loss(charts))
                + mixture(data.summary())
                + times(data)
                + WireSection.of(data.summary())
                + code(data.summary())
                + profile(data.profile())
                + quarantine(data)
                + Page.configuration(data.configuration())
                + device(data.summary().setup().deviceUse())
                + machine(data);
    }

    private static String device(@Nullable DeviceUseSummary use) {
        return use == null ? "" : Page.facts("device", "Device: " + use.description(), use.facts());
    }

    private static String course(ReportData data, ObjectNode charts) {
        return Html.section(
                "course",
                "Throughput and starvation over time",
                charts.has("course")
                        ? Html.chart("course", "Throughput, and share of time spent waiting for data, over time")
                                + Html.note(
                                        data.coarse()
                                                ? "From the client's readings: the trainer's steps.csv is not in this folder."
                                                : "Over the seconds of training: evaluation, checkpoints and the wait for the"
                                                        + " first batch are left out. From steps.csv.")
                        : Html.note("Not measured."));
    }

    private static String loss(ObjectNode charts) {
        return Html.section(
                "loss",
                "Loss and accuracy",
                charts.has("loss")
                        ? Html.chart("loss", "Loss of training and of evaluations over the seconds of training")
                        : Html.note("Not measured."),
                charts.has("accuracy") ? Html.chart("accuracy", "Accuracy after each epoch") : "");
    }

    private static String stages(RunSummary summary, ObjectNode charts) {
        List<StageColumns.Shown> columns = StageColumns.shown();
        List<String> headings = new ArrayList<>(List.of("stage", "slots"));
        columns.forEach(column -> headings.add(column.heading()));
        List<List<String>> rows = new ArrayList<>();
        int limiting = -1;
        List<String> unknown = new ArrayList<>();
        for (StageReading stage : summary.stages()) {
            if (!stage.isMeasured()) {
                unknown.add(stage.name());
                continue;
            }
            VerdictSummary verdict = summary.verdict();
            if (verdict != null && stage.name().equals(verdict.limitingStage())) {
                limiting = rows.size();
            }
            List<String> cells =
                    new ArrayList<>(List.of(StageColumns.name(stage), StageColumns.count(stage.parallelism())));
            columns.forEach(column -> cells.add(column.cell().apply(stage)));
            rows.add(cells);
        }
        return Html.section(
                "stages",
                "Where the time went",
                charts.has("stages")
                        ? Html.chart("stages", "Seconds for each slot of each stage, by activity")
                                + Html.note("Seconds in each slot. Within a chain, passing on includes the work of the"
                                        + " stages that follow.")
                        : Html.note("Not measured."),
                rows.isEmpty() ? "" : Html.table(headings, rows, limiting),
                unknown.isEmpty()
                        ? ""
                        : Html.note("No figures of " + String.join(", ", unknown)
                                + " are known where this report was written."),
                summary.stages().stream().anyMatch(StageReading::atLeast) ? Html.note(StageColumns.MARKED + ".") : "");
    }

    /** Returns the section of a mixture's datasets; an empty text for a run without a mixture. */
    private static String mixture(RunSummary summary) {
        List<List<String>> rows = summary.sources().stream()
                .map(share -> List.of(
                        share.source(),
                        String.format(Locale.ROOT, "%,d", share.samples()),
                        String.format(Locale.ROOT, "%.2f %%", 100 * share.share()),
                        share.epoch() < 0 ? "" : String.format(Locale.ROOT, "%.2f", share.epoch())))
                .toList();
        return rows.isEmpty()
                ? ""
                : Html.section(
                        "mixture",
                        "The datasets of the mixture",
                        Html.table(List.of("dataset", "samples", "share", "epochs"), rows, -1));
    }

    /** Returns the section of the user's code; an empty text for a pipeline without such code. */
    private static String code(RunSummary summary) {
        StringBuilder tables = new StringBuilder();
        for (StageReading stage : summary.stages()) {
            CodeProfile code = stage.code();
            if (code != null && stage.callsCode()) {
                tables.append(Html.note(CodeTable.heading(stage) + "."));
                tables.append(Html.table(CodeTable.HEADINGS, CodeTable.cells(code), -1));
            }
        }
        return tables.isEmpty() ? "" : Html.section("code", "Lines of your Python code", tables.toString());
    }

    private static String times(ReportData data) {
        if (data.steps().isEmpty()) {
            return Html.section(
                    "times", "Step times", Html.note("Not known here: they are in the trainer's steps.csv."));
        }
        List<List<String>> rows = new ArrayList<>();
        boolean clients = data.summary().setup().belongsToClients();
        rows.add(row(
                clients ? "step of your training loop" : "step: transfer and compute",
                data.steps().get()));
        data.waits().ifPresent(waits -> rows.add(row("wait for the batch", waits)));
        return Html.section(
                "times",
                "Step times",
                Html.chart("times", "The distribution of step times, and of the waits before the steps"),
                Html.table(List.of("", "count", "p50 ms", "p90 ms", "p99 ms", "max ms"), rows, -1));
    }

    private static String profile(Profile profile) {
        return Html.section(
                "profile",
                "Operations",
                Html.note("Data stages: own time for each sample, over all slots."),
                Html.table(
                        ProfileTable.HEADINGS,
                        profile.data().stream().map(ProfileTable::cells).toList(),
                        -1),
                Html.note("Training: times for each step or batch."),
                Html.table(
                        ProfileTable.HEADINGS,
                        profile.training().stream().map(ProfileTable::cells).toList(),
                        -1));
    }

    private static List<String> row(String name, Spread spread) {
        return List.of(
                name,
                NumberText.count(spread.count()),
                NumberText.number(spread.p50()),
                NumberText.number(spread.p90()),
                NumberText.number(spread.p99()),
                NumberText.number(spread.max()));
    }

    private static String quarantine(ReportData data) {
        if (data.quarantine().isEmpty()) {
            return Html.section(
                    "quarantine", "Bad samples", Html.note("Not known here: quarantine.jsonl is elsewhere."));
        }
        QuarantineHead head = data.quarantine().get();
        if (head.count() == 0) {
            return Html.section("quarantine", "Bad samples", Html.note("None."));
        }
        String shown = head.count() > head.first().size()
                ? String.format(
                        Locale.ROOT, "The first %d of %,d.", head.first().size(), head.count())
                : String.format(Locale.ROOT, "%,d.", head.count());
        return Html.section(
                "quarantine",
                "Bad samples",
                Html.note(shown + " All are in quarantine.jsonl. "
                        + String.join("; ", head.reasons().lines(MOST_REASONS)) + "."),
                Html.table(
                        List.of("file", "offset", "index", "stage", "reason"),
                        head.first().stream()
                                .map(line ->
                                        List.of(line.file(), line.offset(), line.index(), line.stage(), line.reason()))
                                .toList(),
                        -1));
    }

    private static String machine(ReportData data) {
        RunSummary summary = data.summary();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("device", summary.setup().device());
        if (summary.setup().kernels() != null) {
            facts.put("kernels", summary.setup().kernels());
        }
        facts.putAll(data.machine());
        summary.versions().forEach((name, version) -> {
            if (version != null) {
                facts.put(name + " version", version);
            }
        });
        if (summary.result().parametersSha256() != null) {
            facts.put("parameters sha256", summary.result().parametersSha256());
        }
        return Page.facts("machine", "Machine and versions", facts);
    }

    private static String word(RunSummary.Status status) {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
