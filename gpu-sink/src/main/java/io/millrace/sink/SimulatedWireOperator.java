package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.device.SimulatedLink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A simulated slow network in front of a trainer, in the trainer's task, for experiments. It passes micro-batches on no
 * faster than a link would carry them. The senders are slowed down as by a slow network, and no figure of the run
 * counts the time.
 */
public final class SimulatedWireOperator extends AbstractStreamOperator<MicroBatch>
        implements OneInputStreamOperator<MicroBatch, MicroBatch> {
    /** The operator's name in the graph. */
    public static final String NAME = "network";

    private static final long serialVersionUID = 1;

    private final SimulatedLink link;

    /** Creates an operator that passes micro-batches on at the speed of the link. */
    public SimulatedWireOperator(SimulatedLink link) {
        this.link = link;
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) {
        MicroBatch batch = element.getValue();
        link.carry(bytes(batch));
        output.collect(element);
    }

    private static long bytes(MicroBatch batch) {
        long bytes = 0;
        int columns = batch.spec().columns().size();
        for (int row = 0; row < batch.rows(); row++) {
            for (int column = 0; column < columns && !batch.isQuarantined(row); column++) {
                bytes += batch.bytes(column, row);
            }
        }
        return bytes;
    }
}
