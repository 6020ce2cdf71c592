package io.millrace.diagnosis.ladder;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;

/** The rows of one batch as micro-batches, in the memory in which micro-batches arrive at a trainer. Used by one thread. */
final class PackedBatch implements AutoCloseable {
    private final Handles handles = new Handles();
    private final List<MicroBatch> parts = new ArrayList<>();
    private final long number;
    private final int rows;

    /**
     * Packs the rows of a batch.
     *
     * @param number the batch's number, from 0, which chooses its samples
     * @param samples the samples of all batches, at least one
     */
    PackedBatch(BatchSpec spec, long number, int rows, List<CachedSample> samples) {
        this.number = number;
        this.rows = rows;
        handles.closeOnFailure(() -> {
            BufferAllocator allocator =
                    handles.add(MicroBatchMemory.arriving().newChildAllocator("ladder-" + number, 0, Long.MAX_VALUE));
            Packer packer = packer(allocator, spec, rows);
            for (int row = 0; row < rows; row++) {
                long position = number * rows + row;
                Sample sample = samples.get((int) (position % samples.size()))
                        .shared(position)
                        .placeAt(position, 0, Split.TRAIN);
                if (!packer.fits(sample)) {
                    parts.add(handles.add(packer.flush()));
                    packer = packer(allocator, spec, rows - row);
                }
                packer.add(sample);
            }
            return parts.add(handles.add(packer.flush()));
        });
    }

    /** Returns a packer for one micro-batch, which it lends until this object is closed. */
    private Packer packer(BufferAllocator allocator, BatchSpec spec, int most) {
        return handles.add(new Packer(allocator, spec, PackLimits.ofRows(most)));
    }

    /** Fills and seals a batch. This object must stay open until the device's copies are done. */
    void copyTo(DeviceBatch target) {
        target.begin(number, number, 0, Split.TRAIN, rows);
        int row = 0;
        for (MicroBatch part : parts) {
            target.filling().put(row, part, 0, part.rows());
            row += part.rows();
        }
        target.seal();
    }

    /** Frees the memory. */
    @Override
    public void close() {
        handles.close();
    }
}
