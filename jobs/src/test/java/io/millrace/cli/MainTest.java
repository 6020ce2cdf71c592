package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetException;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** The work of a command. */
    private interface Work {
        void run() throws Exception;
    }

    @Command(name = "train", description = "Trains a model.")
    private static final class Train extends CliCommand {
        @Mixin
        private PipelineArguments arguments = new PipelineArguments();

        private final Work work;

        Train(Work work) {
            this.work = work;
        }

        @Override
        public Integer call() throws Exception {
            assertThat(arguments.file()).hasToString("x.yaml");
            work.run();
            return ExitCode.OK;
        }
    }

    private int run(Work work, String... arguments) {
        CommandLine commandLine = Main.commandLine(List.of(new CommandGroup("Train", List.of(new Train(work)))));
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return Main.run(commandLine, arguments);
    }

    private int run(String... arguments) {
        return run(() -> {}, arguments);
    }

    private int failWith(Exception exception) {
        return run(
                () -> {
                    throw exception;
                },
                "train",
                "x.yaml");
    }

    @Test
    void programWithoutACommandPrintsItsHelp() {
        assertThat(run()).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .contains("Usage: ./millrace <command>", "Train:", "Trains a model.", "Examples:")
                .doesNotContain("Commands:");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void everyCommandHasHelp() {
        assertThat(run("train", "--help")).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("millrace train", "PIPELINE", "--set=KEY=VALUE", "--json", "--help");
    }

    /** picocli formats help texts, and warns on standard error about a text with a single percent sign. */
    @Test
    void helpTextsOfAllCommandsAreFormats() {
        PrintStream before = System.err;
        ByteArrayOutputStream warnings = new ByteArrayOutputStream();
        System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
        try {
            helpOf(Main.commandLine(Main.commands()));
        } finally {
            System.setErr(before);
        }
        assertThat(warnings.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    private static void helpOf(CommandLine command) {
        assertThat(command.getUsageMessage()).isNotBlank();
        command.getSubcommands().values().forEach(MainTest::helpOf);
    }

    @Test
    void versionNamesEveryPart() {
        assertThat(run("--version")).isEqualTo(ExitCode.OK);
        assertThat(out.toString().lines())
                .hasSize(6)
                .allMatch(line -> line.matches("[a-z]+ +[0-9][^$]*"))
                .anyMatch(line -> line.startsWith("flink"))
                .anyMatch(line -> line.startsWith("pytorch"));
    }

    @Test
    void misspeltCommandIsAnsweredWithASuggestion() {
        assertThat(run("trian", "x.yaml")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines())
                .containsExactly("millrace: unknown command 'trian', did you mean 'train'?", "Try ./millrace --help");
    }

    @Test
    void misspeltOptionIsAnsweredWithASuggestion() {
        assertThat(run("train", "x.yaml", "--jsno")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines())
                .containsExactly(
                        "millrace: unknown option '--jsno', did you mean '--json'?", "Try ./millrace train --help");
    }

    @Test
    void missingPipelineFileIsAUsageError() {
        assertThat(run("train")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("millrace: ").contains("PIPELINE").contains("millrace train --help");
    }

    @Test
    void failureIsPrintedAsASentenceWithoutAStackTrace() {
        DatasetException cause = new DatasetException("data/x is empty");
        assertThat(failWith(new IllegalStateException("wrapped", cause))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString().lines()).containsExactly("millrace: data/x is empty");
    }

    @Test
    void fileSystemsExceptionBecomesASentence() {
        assertThat(failWith(new NoSuchFileException("conf/x.yaml"))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString().lines()).containsExactly("millrace: no such file: conf/x.yaml");
    }

    @Test
    void outerSentenceIsKeptWhenItDiffersFromTheCause() {
        failWith(new IOException("cannot write runs/x: disk full", new IOException("No space left")));
        assertThat(err.toString().lines()).containsExactly("millrace: cannot write runs/x: disk full");
    }

    @Test
    void unexpectedFailurePointsToTheLog() {
        assertThat(failWith(new IndexOutOfBoundsException("7"))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("IndexOutOfBoundsException: 7").contains("the log has the details");
    }

    @Test
    void errorIsReportedLikeAnException() {
        int code = run(
                () -> {
                    throw new NoClassDefFoundError("ai/djl/Model");
                },
                "train",
                "x.yaml");
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("millrace: NoClassDefFoundError: ai/djl/Model");
    }

    @Test
    void usageExceptionAndInterruptionHaveTheirExitCodes() {
        assertThat(failWith(new UsageException("--count: expected at least 1, found 0")))
                .isEqualTo(ExitCode.USAGE);
        assertThat(failWith(new InterruptedException())).isEqualTo(ExitCode.INTERRUPTED);
    }

    @Test
    void onlyTheNamedCommandIsCreated() {
        List<String> names = Main.commands().stream()
                .flatMap(group -> group.commands().stream())
                .map(command -> new CommandLine(command).getCommandName())
                .toList();
        assertThat(names).hasSize(16).doesNotHaveDuplicates();
        for (String name : names) {
            assertThat(Main.needed(name, "x")).singleElement().satisfies(group -> assertThat(group.commands())
                    .singleElement()
                    .satisfies(command -> assertThat(new CommandLine(command).getCommandName())
                            .isEqualTo(name)));
        }
        assertThat(Main.needed("--version")).isEmpty();
        assertThat(Main.needed()).hasSize(5);
        assertThat(Main.needed("trian")).as("for the suggestion").hasSize(5);
        assertThat(Main.needed("--version", "train")).hasSize(5);
    }
}
