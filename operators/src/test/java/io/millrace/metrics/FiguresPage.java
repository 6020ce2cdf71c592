package io.millrace.metrics;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Statistic.Column;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The part of {@code docs/diagnose/metrics.md} that is generated from the declarations in {@link Figures}. */
final class FiguresPage {
    private static final String NONE = "-";

    private FiguresPage() {}

    /** Returns the generated part: a table for each owner of figures. */
    static String render() {
        return "\n### Every stage\n\n"
                + stages()
                + "\n### The stage `read`, of its machine\n\n"
                + table(Figures.of(Owner.MACHINE))
                + "\n### The stage `train`\n\n"
                + table(Figures.of(Owner.TRAINER).stream()
                        .filter(figure -> !figure.owners().contains(Owner.DATA_STAGE))
                        .toList())
                + "\n### The stage `train`, of its device\n\n"
                + table(Figures.of(Owner.DEVICE))
                + "\n";
    }

    private static String stages() {
        return "| metric | unit | over slots | table | report | `summary.json` | meaning |\n|---|---|---|---|---|---|---|\n"
                + Figures.of(Owner.DATA_STAGE).stream()
                        .map(figure -> row(
                                name(figure),
                                unit(figure),
                                overSlots(figure),
                                headings(figure, false),
                                headings(figure, true),
                                keys(figure),
                                meaning(figure)))
                        .collect(Collectors.joining());
    }

    private static String table(List<Figure> figures) {
        return "| metric | unit | over trainers or slots | meaning |\n|---|---|---|---|\n"
                + figures.stream()
                        .map(figure -> row(name(figure), unit(figure), overSlots(figure), figure.help()))
                        .collect(Collectors.joining());
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static String name(Figure figure) {
        return "`" + figure.name() + "`";
    }

    private static String unit(Figure figure) {
        return figure.histogram()
                ? "histogram of " + figure.unit()
                : figure.unit().toString();
    }

    private static String overSlots(Figure figure) {
        return list(figure.statistics().stream()
                .map(statistic -> statistic.overSlots().name().toLowerCase(Locale.ROOT))
                .distinct()
                .toList());
    }

    private static String headings(Figure figure, boolean inReport) {
        return list(figure.statistics().stream()
                .map(Statistic::column)
                .filter(Objects::nonNull)
                .filter(column -> inReport || column.rank() != Column.REPORT_ONLY)
                .map(Column::heading)
                .toList());
    }

    private static String keys(Figure figure) {
        return list(figure.statistics().stream()
                .map(Statistic::key)
                .filter(Objects::nonNull)
                .map(key -> "`" + key + "`")
                .toList());
    }

    private static String meaning(Figure figure) {
        return figure.help() + (figure.owners().contains(Owner.TRAINER) ? "" : " Not at `train`.");
    }

    private static String list(List<String> texts) {
        return texts.isEmpty() ? NONE : String.join(", ", texts);
    }
}
