package io.millrace.run;

/** The exit codes of commands. Scripts rely on these values. */
public final class ExitCode {
    public static final int OK = 0;

    /** The job failed. */
    public static final int FAILED = 1;

    /** The command line or the pipeline file is wrong; nothing was started. */
    public static final int USAGE = 2;

    /**
     * The user stopped the command by Ctrl-C or a termination signal. By the convention of shells the value is 128 +
     * SIGINT.
     */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
