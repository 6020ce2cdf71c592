package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The handler of command line errors. It prints one sentence with the mistake and a suggestion, and refers to the help. */
final class UsageErrors implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException problem, String[] arguments) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("millrace: " + sentence(problem));
        err.println("Try ./" + command.getCommandSpec().qualifiedName() + " --help");
        err.flush();
        return ExitCode.USAGE;
    }

    private static String sentence(ParameterException problem) {
        if (!(problem instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(problem.getMessage());
        }
        String found = unmatched.getUnmatched().get(0);
        boolean option = unmatched.isUnknownOption();
        boolean command = !option && !problem.getCommandLine().getSubcommands().isEmpty();
        String kind = option ? "unknown option" : command ? "unknown command" : "unexpected argument";
        List<String> meant = option || command ? unmatched.getSuggestions() : List.of();
        String suggestion =
                meant.isEmpty() ? "" : ", did you mean '" + meant.get(0).strip() + "'?";
        return kind + " '" + found + "'" + suggestion;
    }
}
