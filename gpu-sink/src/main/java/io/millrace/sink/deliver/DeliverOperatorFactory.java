package io.millrace.sink.deliver;

import io.millrace.batch.MicroBatch;
import io.millrace.order.BatchPlan;
import io.millrace.serve.ServeSpec;
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

/** The factory of {@link DeliverOperator}s, and of the coordinator that makes them deliver the same steps. */
public final class DeliverOperatorFactory extends AbstractStreamOperatorFactory<Void>
        implements OneInputStreamOperatorFactory<MicroBatch, Void>, CoordinatedOperatorFactory<Void> {
    private static final long serialVersionUID = 1;

    private final SinkSpec spec;
    private final ServeSpec serve;

    /** Creates a factory for a run whose batches go to clients. */
    public DeliverOperatorFactory(SinkSpec spec, ServeSpec serve) {
        this.spec = spec;
        this.serve = serve;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Flink's signature
    public <T extends StreamOperator<Void>> T createStreamOperator(StreamOperatorParameters<Void> parameters) {
        OperatorID id = parameters.getStreamConfig().getOperatorID();
        OperatorEventDispatcher events = parameters.getOperatorEventDispatcher();
        DeliverOperator operator = new DeliverOperator(
                parameters, spec, serve, parameters.getMailboxExecutor(), events.getOperatorEventGateway(id));
        events.registerEventHandler(id, operator::handle);
        return (T) operator;
    }

    @Override
    @SuppressWarnings("rawtypes") // Flink's signature
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return DeliverOperator.class;
    }

    @Override
    public OperatorCoordinator.Provider getCoordinatorProvider(String operatorName, OperatorID id) {
        return new Provider(id, serve, spec.run().plan());
    }

    private record Provider(OperatorID id, ServeSpec serve, BatchPlan plan)
            implements OperatorCoordinator.Provider, Serializable {
        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            return new DeliverCoordinator(serve, plan, context.getCoordinatorStore());
        }
    }
}
