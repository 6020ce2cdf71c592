package io.millrace.cli;

import io.millrace.config.OptionsPage;
import io.millrace.run.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code options}, which prints every key of a pipeline file. {@code docs/use/options.md} is its output. */
@Command(
        name = "options",
        description = "Prints every key of a pipeline file with its type, default and meaning, as Markdown.",
        footer = {"  ./millrace options", "  ./millrace options > docs/use/options.md"})
final class OptionsCommand extends CliCommand {
    @Override
    public Integer call() {
        String page = OptionsPage.render();
        // The encoding is always UTF-8, even if the terminal uses another one, because the output is a file of the
        // documentation.
        output().text().writeBytes(page.getBytes(StandardCharsets.UTF_8));
        output().text().flush();
        output().result(Map.of("markdown", page));
        return ExitCode.OK;
    }
}
