package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatch;
import io.millrace.sink.spec.SinkSpec;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** The factory that creates the {@link TrainOperator} in its task, with the task's mailbox. */
public final class TrainOperatorFactory extends AbstractStreamOperatorFactory<Void>
        implements OneInputStreamOperatorFactory<MicroBatch, Void> {
    private static final long serialVersionUID = 1;

    private final SinkSpec spec;

    public TrainOperatorFactory(SinkSpec spec) {
        this.spec = spec;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Flink's signature
    public <T extends StreamOperator<Void>> T createStreamOperator(StreamOperatorParameters<Void> parameters) {
        return (T) new TrainOperator(parameters, spec, parameters.getMailboxExecutor());
    }

    @Override
    @SuppressWarnings("rawtypes") // Flink's signature
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return TrainOperator.class;
    }
}
