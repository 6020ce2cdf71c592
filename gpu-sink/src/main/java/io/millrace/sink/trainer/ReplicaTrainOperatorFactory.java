package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatch;
import io.millrace.sink.spec.SinkSpec;
import java.io.Serializable;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEventDispatcher;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/**
 * The factory of {@link TrainOperator}s whose models are kept equal, and of the coordinator through which they find one
 * another.
 */
public final class ReplicaTrainOperatorFactory extends AbstractStreamOperatorFactory<Void>
        implements OneInputStreamOperatorFactory<MicroBatch, Void>, CoordinatedOperatorFactory<Void> {
    private static final long serialVersionUID = 1;

    private final SinkSpec spec;

    /** Creates a factory for a run with two trainers or more. */
    public ReplicaTrainOperatorFactory(SinkSpec spec) {
        this.spec = spec;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Flink's signature
    public <T extends StreamOperator<Void>> T createStreamOperator(StreamOperatorParameters<Void> parameters) {
        OperatorID id = parameters.getStreamConfig().getOperatorID();
        OperatorEventDispatcher events = parameters.getOperatorEventDispatcher();
        TrainOperator operator = new TrainOperator(
                parameters, spec, parameters.getMailboxExecutor(), events.getOperatorEventGateway(id));
        events.registerEventHandler(id, operator::handle);
        return (T) operator;
    }

    @Override
    @SuppressWarnings("rawtypes") // Flink's signature
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return TrainOperator.class;
    }

    @Override
    public OperatorCoordinator.Provider getCoordinatorProvider(String operatorName, OperatorID id) {
        return new Provider(id, spec.train().trainers().count());
    }

    private record Provider(OperatorID id, int ranks) implements OperatorCoordinator.Provider, Serializable {
        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            return new RankCoordinator(ranks);
        }
    }
}
