package io.millrace.cli;

import io.millrace.python.DatasetCheck;
import io.millrace.sample.VisibleText;
import java.util.Locale;

/** The text of the check of a Python dataset. Pure. */
final class CheckText {
    private CheckText() {}

    /**
     * Renders a check.
     *
     * @param key the key of the dataset in the pipeline file
     */
    static String render(String key, DatasetCheck check) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %s, %,d items; %,d of them were read twice, in two processes and in another order%n",
                key,
                check.dataset(),
                check.size(),
                check.items()));
        if (check.findings().isEmpty()) {
            text.append("  nothing differs\n");
        }
        check.findings()
                .forEach(finding ->
                        text.append("  ").append(VisibleText.line(finding)).append('\n'));
        return text.toString();
    }
}
