package io.millrace.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Commands under one heading of the help.
 *
 * @param heading the heading of the group in the help, for example "Train"
 */
record CommandGroup(String heading, List<Callable<Integer>> commands) {
    CommandGroup {
        commands = List.copyOf(commands);
    }

    /** Returns the groups for the help of the root command: a heading, then the name and description of each command. */
    static String list(List<CommandGroup> groups) {
        StringBuilder text = new StringBuilder();
        for (CommandGroup group : groups) {
            text.append(String.format("%n%s:%n", group.heading));
            for (Callable<Integer> command : group.commands) {
                CommandSpec spec = new CommandLine(command).getCommandSpec();
                text.append(String.format(
                        "  %-12s %s%n",
                        spec.name(), String.join(" ", spec.usageMessage().description())));
            }
        }
        return text.toString();
    }
}
