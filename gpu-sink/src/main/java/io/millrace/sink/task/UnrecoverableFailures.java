package io.millrace.sink.task;

import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.SuspectedMemoryException;
import io.millrace.sink.files.QuarantineLog.TooManyBadSamplesException;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.files.UnwritableException;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.state.ModelStateException;
import java.util.Optional;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The translation of a failure in training into the exception that the operator throws. The exception determines
 * whether Flink restarts the job.
 */
public final class UnrecoverableFailures {
    private static final Logger LOG = LoggerFactory.getLogger(UnrecoverableFailures.class);

    private UnrecoverableFailures() {}

    /**
     * Translates a failure in training. If a restart would not help, the result is an exception that makes Flink fail
     * the job. If the process cannot use the device any more, this throws an error of the virtual machine. Flink then
     * ends the TaskManager's process, and the run continues in a new process.
     *
     * @return the exception to throw; fatal errors are thrown instead
     */
    public static Exception translate(Throwable failure) {
        return exception(translated(failure));
    }

    /**
     * Translates a failure at the start of training. At the start, a restart does not help when a file cannot be
     * written or a device is missing, because the user has to correct that. It can help when the device's memory may have
     * been full.
     */
    public static Exception translateAtStart(Throwable failure) {
        Throwable translated = translated(failure);
        boolean repeats = failure instanceof UnwritableException
                || (failure instanceof DeviceException && !(failure instanceof SuspectedMemoryException));
        return exception(translated == failure && repeats ? new SuppressRestartsException(failure) : translated);
    }

    /**
     * Throws a failure while an operator is closed, for example because the disk is full. If its task has failed or was cancelled,
     * the failure is only logged, because Flink would end the whole process of the TaskManager.
     */
    static void whileClosing(Exception failure, boolean early) throws Exception {
        if (!early) {
            throw failure;
        }
        LOG.warn("a task that has failed or was cancelled could not be closed entirely", failure);
    }

    private static Throwable translated(Throwable failure) {
        Optional<DeviceBrokenException> broken = ExceptionUtils.findThrowable(failure, DeviceBrokenException.class);
        if (broken.isPresent()) {
            return new InternalError(broken.get().getMessage(), failure);
        }
        boolean repeats = failure instanceof LabelOutOfRangeException
                || failure instanceof DeviceMemoryException
                || failure instanceof TrainSpecException
                || failure instanceof ModelStateException
                || failure instanceof StateRefusedException
                || failure instanceof TooManyBadSamplesException;
        return repeats ? new SuppressRestartsException(failure) : failure;
    }

    private static Exception exception(Throwable thrown) {
        ExceptionUtils.rethrowIfFatalErrorOrOOM(thrown);
        return thrown instanceof Exception exception ? exception : new IllegalStateException(thrown);
    }
}
