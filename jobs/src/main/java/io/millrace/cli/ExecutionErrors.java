package io.millrace.cli;

import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Turns what a command threw into a sentence and an exit code; the stack trace goes to the log alone. */
final class ExecutionErrors implements IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutionErrors.class);

    @Override
    public int handleExecutionException(Exception thrown, CommandLine command, ParseResult parsed) {
        return report(thrown, command.getErr());
    }

    /** Tells the user, and returns the {@link ExitCode}. */
    static int report(Throwable thrown, PrintWriter err) {
        Failure failure = Failure.of(thrown);
        // At INFO, as warnings are shown to people and the sentence below says it already.
        LOG.info("the command failed", thrown);
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
