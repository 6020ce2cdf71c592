package io.millrace.sink;

import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceMemoryException;
import io.millrace.sink.QuarantineLog.TooManyBadSamplesException;
import io.millrace.train.input.LabelOutOfRangeException;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.state.ModelStateException;
import java.util.Optional;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.ExceptionUtils;

/** Tells failures that would happen again after a restart from those that would not. */
final class UnrecoverableFailures {
    private UnrecoverableFailures() {}

    /**
     * What the operator throws for a failure in training: Flink does not restart where that would not help. A device that the
     * process cannot use any more is an error of the virtual machine to Flink, which ends the TaskManager's process; the run
     * goes on in a new one.
     */
    static Throwable told(Throwable failure) {
        Optional<DeviceBrokenException> broken = ExceptionUtils.findThrowable(failure, DeviceBrokenException.class);
        if (broken.isPresent()) {
            return new InternalError(broken.get().getMessage(), failure);
        }
        boolean again = failure instanceof LabelOutOfRangeException
                || failure instanceof DeviceMemoryException
                || failure instanceof TrainSpecException
                || failure instanceof ModelStateException
                || failure instanceof StateRefusedException
                || failure instanceof TooManyBadSamplesException;
        return again ? new SuppressRestartsException(failure) : failure;
    }

    /** The same for a failure at the start, where also a file that cannot be written, or a device that is not there, is the user's to mend. */
    static Throwable toldAtStart(Throwable failure) {
        Throwable told = told(failure);
        boolean again = failure instanceof UnwritableException || failure instanceof DeviceException;
        return told == failure && again ? new SuppressRestartsException(failure) : told;
    }
}
