package io.millrace.serve;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check for clients that make their memory shorter while batches are written to it.
 *
 * <p>The JVM reports such an access with an InternalError. After compiled code, it throws the error only when the thread enters
 * the JVM the next time, which may be in code of Flink, where the error would end the task. Therefore the memory is also checked
 * after each action that has written rows.
 */
public final class MemoryLoss {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryLoss.class);

    private MemoryLoss() {}

    /** An action that may use the memory. */
    public interface Action {
        /** Runs the action. */
        void run() throws Exception;
    }

    /** The check of the memory. */
    public interface Check {
        /** Throws when the client has made the memory shorter. */
        void requireWhole() throws IOException;
    }

    /**
     * Runs an action of the thread that fills batches.
     *
     * @param written returns a number that changes when rows are written to the memory
     * @return the reason when the client has made its memory shorter; null when the action was successful
     * @throws Exception the failure of the action, if the memory is whole
     */
    public static @Nullable IOException during(Action action, LongSupplier written, Check memory) throws Exception {
        long before = written.getAsLong();
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            IOException lost = find(memory);
            if (lost == null) {
                throw e;
            }
            LOG.info("an access to a client's memory has failed", e);
            return lost;
        }
        IOException lost = written.getAsLong() == before ? null : find(memory);
        if (lost != null) {
            collectError();
        }
        return lost;
    }

    private static @Nullable IOException find(Check memory) {
        try {
            memory.requireWhole();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    /** Lets the JVM throw the error of an earlier access here, by parking, for which the thread enters the JVM. */
    private static void collectError() {
        try {
            LockSupport.parkNanos(1);
        } catch (InternalError e) {
            LOG.debug("the JVM reports an access to a client's memory", e);
        }
    }
}
