package io.millrace.sink;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a task that has failed or was cancelled. Flink ends the whole process of the TaskManager if an operator then throws an
 * exception while it is closed, for example because the disk is full.
 */
final class EarlyEnd {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyEnd.class);

    private EarlyEnd() {}

    /** Throws an exception from the closing of an operator, or logs it if the task has ended early. */
    static void rethrow(Exception thrown, boolean early) throws Exception {
        if (!early) {
            throw thrown;
        }
        LOG.warn("a task that has failed or was cancelled could not be closed entirely", thrown);
    }
}
