package io.millrace.sink;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchSerializer;
import io.millrace.batch.Packer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Rows as the network delivers them. */
public final class ReceivedRows {
    private ReceivedRows() {}

    /** Returns the rows of a packer in a received micro-batch, which has memory of its own. The caller closes it. */
    public static MicroBatch of(BatchSpec spec, Packer packer) throws IOException {
        try (MicroBatch lent = packer.flush()) {
            MicroBatchSerializer serializer = new MicroBatchSerializer(spec);
            DataOutputSerializer bytes = new DataOutputSerializer(1024);
            serializer.serialize(lent, bytes);
            return serializer.deserialize(new DataInputDeserializer(bytes.getCopyOfBuffer()));
        }
    }
}
