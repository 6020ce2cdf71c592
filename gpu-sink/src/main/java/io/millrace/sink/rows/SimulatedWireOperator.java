package io.millrace.sink.rows;

import io.millrace.batch.MicroBatch;
import io.millrace.device.SimulatedLink;
import io.millrace.device.SimulatedTime;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A simulated slow network in front of a trainer, in the trainer's task, for experiments. It passes micro-batches on no
 * faster than a link would carry them. The senders are slowed down as by a slow network, and no figure of the run
 * counts the time.
 *
 * <p>The operator cannot see when a micro-batch would have reached the link. It therefore assumes that the link has worked
 * without a pause, unless the micro-batch comes more than {@link #MADE_UP_NANOS} late. So short delays of this process do
 * not change the mean speed.
 */
public final class SimulatedWireOperator extends AbstractStreamOperator<MicroBatch>
        implements OneInputStreamOperator<MicroBatch, MicroBatch> {
    /** The operator's name in the graph. */
    public static final String NAME = "network";

    private static final long serialVersionUID = 1;

    /** The longest delay that the link makes up for. */
    private static final long MADE_UP_NANOS = 1_000_000_000;

    private final SimulatedLink link;

    /** The time at which the link is done with the latest micro-batch; 0 before the first. */
    private transient long doneNanos;

    /** Creates an operator that passes micro-batches on at the speed of the link. */
    public SimulatedWireOperator(SimulatedLink link) {
        this.link = link;
    }

    @Override
    public void processElement(StreamRecord<MicroBatch> element) {
        MicroBatch batch = element.getValue();
        long now = System.nanoTime();
        long begin = doneNanos == 0 ? now : Math.max(doneNanos, now - MADE_UP_NANOS);
        long nanos = link.nanos(bytes(batch));
        SimulatedTime.pass(begin, nanos);
        doneNanos = begin + nanos;
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
