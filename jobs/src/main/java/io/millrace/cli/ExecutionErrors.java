package io.millrace.cli;

import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import java.io.PrintWriter;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** The handler of exceptions of commands. It prints a sentence and returns an exit code; of faults, the log has the stack trace. */
final class ExecutionErrors implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception thrown, CommandLine command, ParseResult parsed) {
        return report(thrown, command.getErr());
    }

    /** Prints a sentence for the user and returns the {@link ExitCode}. */
    static int report(Throwable thrown, PrintWriter err) {
        Failure failure = Failure.of(thrown);
        // A mistake of the user, such as a wrong key in a pipeline file, needs no stack trace. Without Log4j it is
        // reported in half of the time, so the logger is not a constant.
        if (failure.exitCode() != ExitCode.USAGE) {
            // The level is INFO, because warnings are shown to the user, who already sees the sentence below.
            LoggerFactory.getLogger(ExecutionErrors.class).info("the command failed", thrown);
        }
        err.println("millrace: " + failure.sentence());
        if (failure.unexpected()) {
            err.println("This is a fault of Millrace; the log has the details: " + logFile());
        }
        err.flush();
        return failure.exitCode();
    }

    private static String logFile() {
        return System.getProperty("millrace.log", ".millrace/millrace.log");
    }
}
