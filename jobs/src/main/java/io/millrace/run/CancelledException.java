package io.millrace.run;

import java.io.IOException;

/** A job that delivers to clients was cancelled by somebody else than its command. The message is a sentence for the user. */
final class CancelledException extends IOException {
    private static final long serialVersionUID = 1;

    CancelledException() {
        super("the job was cancelled, in Flink's web UI or by another program");
    }
}
