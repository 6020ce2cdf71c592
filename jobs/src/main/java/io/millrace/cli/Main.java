package io.millrace.cli;

import io.millrace.report.TerminalOutput;
import io.millrace.run.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** The main class of the program {@code millrace <command> ...}. */
public final class Main {
    private static final List<String> VERSION = List.of("--version", "-V");

    /** The commands in the order of the help. A new command needs one line here. */
    private static final List<Entry> ENTRIES = List.of(
            new Entry("Train", "train", TrainCommand::new),
            new Entry("Train", "serve", ServeCommand::new),
            new Entry("Train", "diagnose", DiagnoseCommand::new),
            new Entry("Data", "generate", GenerateCommand::new),
            new Entry("Data", "inspect", InspectCommand::new),
            new Entry("Data", "preview", PreviewCommand::new),
            new Entry("Data", "which", WhichCommand::new),
            new Entry("Data", "pack", PackCommand::new),
            new Entry("Clusters", "cluster", ClusterCommand::new),
            new Entry("Clusters", "status", StatusCommand::new),
            new Entry("Clusters", "scale", ScaleCommand::new),
            new Entry("Clusters", "stop", StopCommand::new),
            new Entry("Clusters", "jars", JarsCommand::new),
            new Entry("Devices", "devices", DevicesCommand::new),
            new Entry("Devices", "bench-device", BenchDeviceCommand::new),
            new Entry("Reference", "options", OptionsCommand::new));

    private Main() {}

    /** A command that is created when it is needed, and its place in the help. */
    private record Entry(String group, String name, Supplier<Callable<Integer>> command) {
        Callable<Integer> create() {
            return command.get();
        }
    }

    /** Runs one command and ends the process with its {@link ExitCode}. */
    public static void main(String[] arguments) {
        TerminalOutput.install();
        System.exit(run(arguments));
    }

    /**
     * Runs one command and returns its {@link ExitCode}. Only the command that the first argument names is created, because
     * picocli reads the annotations of each command that it knows.
     */
    static int run(String... arguments) {
        return run(commandLine(needed(arguments)), arguments);
    }

    /** Runs one command. An error, such as a native library that cannot be loaded, is reported like an exception. */
    static int run(CommandLine commandLine, String... arguments) {
        try {
            return commandLine.execute(arguments);
        } catch (Error e) {
            return ExecutionErrors.report(e, commandLine.getErr());
        }
    }

    /** Returns all commands in the groups of the help. */
    static List<CommandGroup> commands() {
        return ENTRIES.stream()
                .collect(Collectors.groupingBy(
                        Entry::group, LinkedHashMap::new, Collectors.mapping(Entry::create, Collectors.toList())))
                .entrySet()
                .stream()
                .map(group -> new CommandGroup(group.getKey(), group.getValue()))
                .toList();
    }

    /** Returns the command that the first argument names, no command for {@code --version} alone, and all for anything else. */
    static List<CommandGroup> needed(String... arguments) {
        if (arguments.length == 1 && VERSION.contains(arguments[0])) {
            return List.of();
        }
        return ENTRIES.stream()
                .filter(entry -> arguments.length > 0 && entry.name.equals(arguments[0]))
                .findFirst()
                .map(entry -> List.of(new CommandGroup(entry.group, List.of(entry.create()))))
                .orElseGet(Main::commands);
    }

    /** Returns a command line with these commands. */
    static CommandLine commandLine(List<CommandGroup> groups) {
        CommandLine root = new CommandLine(new RootCommand());
        for (CommandGroup group : groups) {
            // picocli applies the model transformer only to a CommandLine that is created explicitly.
            group.commands().forEach(command -> root.addSubcommand(new CommandLine(command)));
        }
        // Only help and versions are written there, which picocli may print in bold letters.
        root.setOut(TerminalOutput.rawOut());
        root.setParameterExceptionHandler(new UsageErrors());
        root.setExecutionExceptionHandler(new ExecutionErrors());
        // picocli copies handlers and renderers to subcommands. Only the root command has commands to list.
        root.getHelpSectionMap()
                .put(CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> CommandGroup.list(groups));
        return root;
    }
}
