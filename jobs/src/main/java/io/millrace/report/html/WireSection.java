package io.millrace.report.html;

import io.millrace.report.RunSummary;
import java.util.List;
import java.util.Locale;

/** The part of a run's page that tells what travelled to the trainers. Pure. */
final class WireSection {
    private static final List<String> HEADINGS = List.of("field", "type", "bytes", "bytes saved", "why");

    private WireSection() {}

    static String of(RunSummary.Sent sent) {
        if (sent.wire().isEmpty()) {
            return Html.section("wire", "What was sent", Html.note("Not known here."));
        }
        Long saved = sent.savedBytes();
        String all = saved == null || saved <= 0
                ? ""
                : String.format(Locale.ROOT, " In all %.1f MB were saved.", saved / 1e6);
        return Html.section(
                "wire",
                "What was sent",
                Html.note("Bytes of a sample, the mean; saved against the types in which training takes the fields."
                        + all),
                Html.table(
                        HEADINGS,
                        sent.wire().stream()
                                .map(field -> List.of(
                                        field.field(),
                                        field.type(),
                                        Figures.number(field.bytesPerSample()),
                                        Figures.number(field.savedBytesPerSample()),
                                        field.why()))
                                .toList(),
                        -1));
    }
}
