package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.util.List;
import picocli.CommandLine;

/** The program: {@code millrace <command> ...}. */
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

    /** Errors as exceptions: a native library that does not load is the user's to know, not a stack trace. */
    static int run(CommandLine commandLine, String... arguments) {
        try {
            return commandLine.execute(arguments);
        } catch (Error e) {
            return ExecutionErrors.report(e, commandLine.getErr());
        }
    }

    /** The commands, grouped as the help shows them. A new command is one line here. */
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

    /** A command line with these commands, ready to execute. */
    static CommandLine commandLine(List<CommandGroup> groups) {
        CommandLine root = new CommandLine(new RootCommand());
        for (CommandGroup group : groups) {
            // A command line made here, unlike one that picocli makes of the object, has had its model transformed.
            group.commands().forEach(command -> root.addSubcommand(new CommandLine(command)));
        }
        root.setParameterExceptionHandler(new UsageErrors());
        root.setExecutionExceptionHandler(new ExecutionErrors());
        // Like every handler, renderers are copied to subcommands; these have no commands of their own to list.
        root.getHelpSectionMap()
                .put(CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> CommandGroup.list(groups));
        return root;
    }
}
