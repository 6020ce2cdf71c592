package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.generate.ExistingFiles;
import io.millrace.generate.Generation;
import io.millrace.generate.GenerationException;
import io.millrace.generate.Generator;
import io.millrace.generate.Generators;
import io.millrace.generate.TimedProgress;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.sample.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command {@code generate <what> <dir>}, which generates data for the examples.
 *
 * <p>The options of each generator are read from its declaration, so that the command line, pipeline files and the
 * documentation agree.
 */
@Command(
        name = "generate",
        description = "Generates data for the examples.",
        mixinStandardHelpOptions = true,
        modelTransformer = GenerateCommand.Subcommands.class)
public final class GenerateCommand implements Callable<Integer> {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]{1,18}");

    @CommandLine.Spec
    private CommandSpec spec = CommandSpec.create();

    /** Prints the generators, because none was named. */
    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        err.println("generate: expected the name of a generator: " + String.join(" or ", Generators.names()) + ".");
        spec.commandLine().usage(err);
        return CommandLine.ExitCode.USAGE;
    }

    /** Adds one subcommand for each generator. */
    static final class Subcommands implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec generate) {
            for (String name : Generators.names()) {
                generate.addSubcommand(name, new Subcommand(Generators.named(name)).spec());
            }
            return generate;
        }
    }

    /** The command of one generator, for example {@code generate digits}. */
    private static final class Subcommand implements Callable<Integer> {
        private static final ObjectMapper JSON = new ObjectMapper();

        private final Generator generator;
        private final CommandSpec spec;

        Subcommand(Generator generator) {
            this.generator = generator;
            this.spec = CommandSpec.wrapWithoutInspection(this)
                    .name(generator.name())
                    .mixinStandardHelpOptions(true);
            spec.usageMessage().description(generator.help());
            spec.addPositional(PositionalParamSpec.builder()
                    .index("0")
                    .paramLabel("<dir>")
                    .type(Path.class)
                    .required(true)
                    .description("The folder to fill; created if it does not exist.")
                    .build());
            for (Option<?> option : generator.options()) {
                spec.addOption(OptionSpec.builder("--" + option.key())
                        .paramLabel("<" + option.key() + ">")
                        .type(String.class)
                        .description(option.help() + " " + option.type().name() + "; default: "
                                + (option.fallback() == null ? "none" : option.fallback()))
                        .build());
            }
            spec.addOption(flag("--force", "Replace data that an earlier command generated in the folder."));
            spec.addOption(flag("--json", "Print the result as one line of JSON, last on standard output."));
        }

        private static OptionSpec flag(String name, String help) {
            return OptionSpec.builder(name)
                    .type(boolean.class)
                    .arity("0")
                    .description(help)
                    .build();
        }

        CommandSpec spec() {
            return spec;
        }

        @Override
        public Integer call() {
            CommandLine.ParseResult arguments = spec.commandLine().getParseResult();
            Path folder = arguments.matchedPositionalValue(0, Path.of("."));
            ExistingFiles existing =
                    arguments.hasMatchedOption("--force") ? ExistingFiles.REPLACE : ExistingFiles.REFUSE;
            PrintWriter err = spec.commandLine().getErr();
            try {
                OptionValues values = OptionValues.of(generator.options(), raw(arguments));
                long start = System.nanoTime();
                Generators.Outcome outcome = Generators.generate(
                        generator.name(),
                        values,
                        folder,
                        existing,
                        new TimedProgress(
                                folder.toString(),
                                generator.unit(),
                                line -> {
                                    err.println(line);
                                    err.flush();
                                },
                                System::nanoTime));
                report(folder, outcome, (System.nanoTime() - start) / 1e9, arguments.hasMatchedOption("--json"));
                return CommandLine.ExitCode.OK;
            } catch (IllegalArgumentException | GenerationException e) {
                err.println("generate " + generator.name() + ": " + e.getMessage());
                return CommandLine.ExitCode.USAGE;
            } catch (IOException e) {
                err.println("generate " + generator.name() + " failed, the data in " + folder + " is incomplete: " + e);
                return CommandLine.ExitCode.SOFTWARE;
            }
        }

        /** Returns the options with the types that a pipeline file would give them. */
        private Map<String, Object> raw(CommandLine.ParseResult arguments) {
            Map<String, Object> raw = new LinkedHashMap<>();
            for (Option<?> option : generator.options()) {
                String text = arguments.matchedOptionValue("--" + option.key(), "");
                if (arguments.hasMatchedOption("--" + option.key())) {
                    raw.put(option.key(), WHOLE_NUMBER.matcher(text).matches() ? (Object) Long.valueOf(text) : text);
                }
            }
            return raw;
        }

        private void report(Path folder, Generators.Outcome outcome, double seconds, boolean json)
                throws JsonProcessingException {
            Generation generation = outcome.generation();
            PrintWriter err = spec.commandLine().getErr();
            if (outcome.made()) {
                err.printf(
                        Locale.ROOT,
                        "%s: %,d %s, %d bad files, %.1f MB in %.1f s%n",
                        folder,
                        generation.samples(),
                        generator.unit(),
                        generation.bad().size(),
                        generation.bytes() / 1e6,
                        seconds);
            } else {
                err.printf("%s already holds this data, complete; nothing done (--force generates it again)%n", folder);
            }
            if (json) {
                Map<String, Object> result = new LinkedHashMap<>();
                result.put("generator", generation.generator());
                result.put("path", folder.toString());
                result.put("made", outcome.made());
                result.put("options", generation.options());
                result.put(generator.unit(), generation.samples());
                result.put("counts", generation.counts());
                result.put("bytes", generation.bytes());
                result.put("bad", generation.bad());
                result.put("wall_s", TimeUnit.NANOSECONDS.toMillis((long) (seconds * 1e9)) / 1e3);
                spec.commandLine().getOut().println(VisibleText.of(JSON.writeValueAsString(result)));
                spec.commandLine().getOut().flush();
            }
        }
    }
}
