package io.millrace.report.html;

import io.millrace.report.RunSummary;
import java.util.List;
import java.util.Locale;

/** The part of a run's page about the fields that crossed the network. Pure. */
final class WireSection {
    private static final String HEADING = "Fields on the network";
    private static final List<String> HEADINGS = List.of("field", "type", "bytes", "bytes saved", "why");

    private WireSection() {}

    static String of(RunSummary summary) {
        RunSummary.WireColumns columns = summary.wireColumns();
        if (columns.wire().isEmpty()) {
            return Html.section("wire", HEADING, Html.note("Not known here."));
        }
        if (summary.setup().belongsToClients()) {
            return Html.section(
                    "wire",
                    HEADING,
                    Html.note("Mean bytes of a sample."),
                    Html.table(
                            HEADINGS.subList(0, 3),
                            columns.wire().stream()
                                    .map(field -> List.of(
                                            field.field(), field.type(), NumberText.number(field.bytesPerSample())))
                                    .toList(),
                            -1));
        }
        Long saved = columns.savedBytes();
        String all = saved == null || saved <= 0
                ? ""
                : String.format(Locale.ROOT, " In all %.1f MB were saved.", saved / 1e6);
        return Html.section(
                "wire",
                HEADING,
                Html.note("Mean bytes of a sample, and the bytes saved compared with the types that training uses."
                        + all),
                Html.table(
                        HEADINGS,
                        columns.wire().stream()
                                .map(field -> List.of(
                                        field.field(),
                                        field.type(),
                                        NumberText.number(field.bytesPerSample()),
                                        NumberText.number(field.savedBytesPerSample()),
                                        field.why()))
                                .toList(),
                        -1));
    }
}
