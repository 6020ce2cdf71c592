package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.util.List;
import picocli.CommandLine;

/** The main class of the program {@code millrace <command> ...}. */
public final class Main {
    private Main() {}

    /** Runs one command and ends the process with its {@link ExitCode}. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs one command and returns its {@link ExitCode}. */
    static int run(String... arguments) {
        return run(commandLine(commands()), arguments);
    }

    /** Runs one command. An error, such as a native library that cannot be loaded, is reported like an exception. */
    static int run(CommandLine commandLine, String... arguments) {
        try {
            return commandLine.execute(arguments);
        } catch (Error e) {
            return ExecutionErrors.report(e, commandLine.getErr());
        }
    }

    /** Returns the commands in the groups of the help. A new command needs one line here. */
    static List<CommandGroup> commands() {
        return List.of(
                new CommandGroup("Train", List.of(new TrainCommand(), new DiagnoseCommand())),
                new CommandGroup(
                        "Data",
                        List.of(new GenerateCommand(), new InspectCommand(), new PreviewCommand(), new PackCommand())),
                new CommandGroup(
                        "Clusters",
                        List.of(new ClusterCommand(), new StatusCommand(), new ScaleCommand(), new StopCommand())),
                new CommandGroup("Devices", List.of(new DevicesCommand(), new BenchDeviceCommand())),
                new CommandGroup("Reference", List.of(new OptionsCommand())));
    }

    /** Returns a command line with these commands. */
    static CommandLine commandLine(List<CommandGroup> groups) {
        CommandLine root = new CommandLine(new RootCommand());
        for (CommandGroup group : groups) {
            // picocli applies the model transformer only to a CommandLine that is created explicitly.
            group.commands().forEach(command -> root.addSubcommand(new CommandLine(command)));
        }
        root.setParameterExceptionHandler(new UsageErrors());
        root.setExecutionExceptionHandler(new ExecutionErrors());
        // picocli copies handlers and renderers to subcommands. Only the root command has commands to list.
        root.getHelpSectionMap()
                .put(CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> CommandGroup.list(groups));
        return root;
    }
}
