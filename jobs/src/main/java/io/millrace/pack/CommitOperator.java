package io.millrace.pack;

import java.io.IOException;
import java.util.BitSet;
import java.util.Map;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The last operator, with parallelism 1: when all tasks are done, it runs the commit. */
final class CommitOperator extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<Long, Void>, BoundedOneInput {
    private static final long serialVersionUID = 1;

    private final PackSpec spec;
    private final PackPlan plan;
    private final Map<String, Object> source;
    private final BitSet done = new BitSet();

    CommitOperator(PackSpec spec, PackPlan plan, Map<String, Object> source) {
        this.spec = spec;
        this.plan = plan;
        this.source = source;
    }

    @Override
    public void processElement(StreamRecord<Long> element) {
        done.set(Math.toIntExact(element.getValue()));
    }

    @Override
    public void endInput() throws IOException {
        if (done.cardinality() != plan.tasks()) {
            throw new IllegalStateException(done.cardinality() + " of " + plan.tasks() + " tasks reached the commit");
        }
        new Commit(spec, plan, source).run();
    }
}
