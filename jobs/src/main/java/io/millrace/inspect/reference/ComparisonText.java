package io.millrace.inspect.reference;

import io.millrace.inspect.reference.ComparisonResult.Group;
import io.millrace.inspect.reference.ComparisonResult.Outcome;
import io.millrace.sample.VisibleText;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The result of a comparison as text for people. */
public final class ComparisonText {
    private static final String ROW = "  %-8s %8s %10s %10s %12s %12s %12s %10s";

    private final StringBuilder text = new StringBuilder();

    private ComparisonText() {}

    /** Returns several lines, each with a newline at its end. */
    public static String render(ComparisonResult result) {
        ComparisonText made = new ComparisonText();
        made.line("compared with %s", versions(result));
        made.line(ROW, "", "", "", "", "refused", "refused by", "refused by", "");
        made.line(ROW, "kind", "files", "values", "equal", "by both", "Millrace", "the other", "different");
        result.kinds().forEach((kind, counts) -> {
            long values = 0;
            for (Outcome outcome : Outcome.values()) {
                values += counts.of(outcome);
            }
            made.line(
                    ROW,
                    kind.word(),
                    number(counts.files()),
                    number(values),
                    number(counts.of(Outcome.EQUAL)),
                    number(counts.of(Outcome.REFUSED_BY_BOTH)),
                    number(counts.of(Outcome.REFUSED_BY_MILLRACE)),
                    number(counts.of(Outcome.REFUSED_BY_REFERENCE)),
                    number(counts.of(Outcome.DIFFERENT)));
        });
        if (!result.different().isEmpty()) {
            made.line("different");
            result.different().forEach(one -> made.line("    %s", one));
        }
        made.groups("refused by Millrace only", result.groups(Outcome.REFUSED_BY_MILLRACE));
        made.groups("refused by the other only", result.groups(Outcome.REFUSED_BY_REFERENCE));
        made.groups("not compared", result.skipped());
        return made.text.toString();
    }

    private static String versions(ComparisonResult result) {
        return new TreeMap<>(result.versions())
                .entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", "));
    }

    private void groups(String title, Map<String, Group> groups) {
        if (groups.isEmpty()) {
            return;
        }
        line("%s", title);
        groups.forEach((reason, group) -> {
            line("  %8s  %s", number(group.count()), reason);
            group.first().forEach(one -> line("            %s", one));
        });
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private void line(String format, @Nullable Object... values) {
        text.append(VisibleText.line(String.format(Locale.ROOT, format, values).stripTrailing()))
                .append(System.lineSeparator());
    }
}
