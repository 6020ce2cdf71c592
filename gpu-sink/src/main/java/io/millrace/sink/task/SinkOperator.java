package io.millrace.sink.task;

import io.millrace.batch.MicroBatch;
import io.millrace.exchange.RankGoneException;
import io.millrace.metrics.RecordedTask;
import io.millrace.sink.figures.ReportAccumulator;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job's graph, for one rank: an operator that takes micro-batches and emits nothing. Its subclasses train, or deliver
 * to a client that trains. This class holds what is the same for both: the rank, its share of the recording, the run's folder,
 * the translation of failures, and the report.
 *
 * <p>Flink calls the methods on the task's thread.
 */
public abstract class SinkOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<MicroBatch, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    private final transient SinkSpec spec;
    private final transient int rank;
    private final transient TrainerMailbox mailbox;

    private transient Trace.@Nullable Share share;

    /**
     * Creates the operator of the rank that is the number of its subtask.
     *
     * @param spec the specification of all ranks
     */
    protected SinkOperator(StreamOperatorParameters<Void> parameters, SinkSpec spec, MailboxExecutor mailbox) {
        super(parameters);
        this.rank =
                parameters.getContainingTask().getEnvironment().getTaskInfo().getIndexOfThisSubtask();
        this.spec = spec.forRank(rank);
        this.mailbox = new TrainerMailbox(mailbox);
    }

    /** Returns the specification as this rank sees it. */
    protected final SinkSpec spec() {
        return spec;
    }

    /** Returns the rank, from 0. */
    protected final int rank() {
        return rank;
    }

    protected final TrainerMailbox mailbox() {
        return mailbox;
    }

    @Override
    public final void open() throws Exception {
        super.open();
        share = RecordedTask.join(getMetricGroup(), spec.observers().recording());
        try {
            createFolder();
            begin(getRuntimeContext().getTaskInfo().getAttemptNumber());
        } catch (Exception e) {
            throw UnrecoverableFailures.translateAtStart(e);
        }
    }

    private void createFolder() throws UnwritableException {
        Path folder = Path.of(spec.run().folder());
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UnwritableException(folder, e);
        }
    }

    /**
     * Begins the work of the rank. The run's folder exists.
     *
     * @param attempt the number of the task's attempt, from 0
     */
    protected abstract void begin(int attempt) throws Exception;

    @Override
    public final void close() throws Exception {
        boolean early = getContainingTask().isCanceled() || getContainingTask().isFailing();
        try {
            end(early);
        } catch (Exception e) {
            UnrecoverableFailures.whileClosing(e, early);
        } finally {
            try {
                if (share != null) {
                    share.close();
                }
            } finally {
                super.close();
            }
        }
    }

    /**
     * Ends the work of the rank, and {@link #report reports} it. Called also when {@link #begin} has failed or was not called.
     *
     * @param early whether Flink ends the task early, because the job is cancelled or something else failed
     */
    protected abstract void end(boolean early) throws Exception;

    /**
     * Hands the report of the rank to the client, and to the observers of the run if the run has ended. The run of a task that was
     * ended because of another task has not: the task is restarted, and ranks that are still alive report the failure.
     *
     * @param early whether Flink ends the task early
     */
    protected final void report(TrainReport report, boolean early) throws IOException {
        ReportAccumulator accumulated = new ReportAccumulator();
        accumulated.add(new TrainReports(List.of(new TrainReports.Ranked(rank, report))));
        getRuntimeContext().addAccumulator(TrainReport.ACCUMULATOR, accumulated);
        Throwable failure = mailbox.failure();
        boolean endedByOthers = failure == null
                ? early
                : ExceptionUtils.findThrowable(failure, RankGoneException.class).isPresent();
        if (!endedByOthers) {
            spec.observers().target().ended(rank, report, failure);
        }
    }
}
