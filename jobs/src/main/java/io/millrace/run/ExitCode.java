package io.millrace.run;

/** What the process ends with; scripts rely on these. */
public final class ExitCode {
    public static final int OK = 0;

    /** The job failed. */
    public static final int FAILED = 1;

    /** The command line or the pipeline file is wrong; nothing was started. */
    public static final int USAGE = 2;

    /** Stopped by Ctrl-C or a termination signal, after 128 + SIGINT as shells have it. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
