package io.millrace.sink.task;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task's mailbox, through which the trainer's thread runs actions on the task's thread. The task's thread waits
 * here for the trainer's thread, and every wait ends when the trainer has failed. Only the task's thread calls the
 * methods, except for {@link #execute}.
 */
public final class TrainerMailbox {
    private static final Logger LOG = LoggerFactory.getLogger(TrainerMailbox.class);

    private final MailboxExecutor mailbox;
    private UnaryOperator<Throwable> judge = UnaryOperator.identity();
    private @Nullable Throwable failure;

    public TrainerMailbox(MailboxExecutor mailbox) {
        this.mailbox = mailbox;
    }

    /**
     * Sets a function that receives each failure of the trainer before it is translated, and returns the failure to report. It
     * may receive a failure twice.
     */
    public void judge(UnaryOperator<Throwable> by) {
        judge = by;
    }

    /** Enqueues an action for the task's thread. Any thread may call this. Does nothing when the task is closing. */
    public void execute(ThrowingRunnable<Exception> action, String description) {
        try {
            mailbox.execute(action, description);
        } catch (RejectedExecutionException e) {
            LOG.debug("the task is closing and does not need: {}", description);
        }
    }

    /**
     * Runs the mailbox's actions until a condition holds.
     *
     * @throws Exception when the trainer has failed
     */
    public void waitUntil(BooleanSupplier condition) throws Exception {
        waitUntil(mailbox, condition);
    }

    /**
     * Runs the actions of another view of the task's mailbox until a condition holds. Such a view can also run actions
     * of low priority.
     */
    public void waitUntil(MailboxExecutor view, BooleanSupplier condition) throws Exception {
        while (failure == null && !condition.getAsBoolean()) {
            view.yield();
        }
        rethrow();
    }

    /**
     * Blocks the task's thread until the trainer's thread has completed a result. The mailbox runs no actions
     * meanwhile.
     */
    public <T> T await(Future<T> result) throws Exception {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw UnrecoverableFailures.translate(judge.apply(ExceptionUtils.stripExecutionException(e)));
        }
    }

    /** Records that the trainer has failed, and throws its failure. */
    public void fail(Throwable cause) throws Exception {
        failure = judge.apply(cause);
        rethrow();
    }

    /** Throws the trainer's failure if there is one. */
    public void rethrow() throws Exception {
        Throwable cause = failure;
        if (cause != null) {
            throw UnrecoverableFailures.translate(cause);
        }
    }

    /** Returns the trainer's failure; null when it has not failed. */
    @Nullable
    public Throwable failure() {
        return failure;
    }
}
