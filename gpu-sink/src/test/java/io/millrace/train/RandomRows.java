package io.millrace.train;

import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Pictures of noise with labels, in any number and in batches of any size. A row is a function of its number.
 *
 * @param shape the shape of a picture
 * @param bad the rows that are quarantined
 */
public record RandomRows(List<Integer> shape, int classes, Set<Integer> bad) {
    private static final BadSample FAILURE = new BadSample("read", "d", "f", 0, "planned to be bad");

    public BatchSpec spec() {
        return new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, shape)));
    }

    /** Trains on the rows from {@code first}, in steps from {@code step} with these sizes, and returns the last loss. */
    public double train(TrainStep trainer, int step, int first, int... sizes) {
        return train(new HostDevice(), trainer, step, first, sizes);
    }

    /** Trains with batches on a device. */
    public double train(Device device, TrainStep trainer, int step, int first, int... sizes) {
        double loss = Double.NaN;
        int from = first;
        int largest = Arrays.stream(sizes).max().orElseThrow();
        try (DeviceBatch batch = device.allocate(spec(), largest)) {
            for (int i = 0; i < sizes.length; i++) {
                fill(batch, step + i, from, sizes[i]);
                batch.beginUse();
                loss = trainer.train(batch).loss();
                batch.endUse();
                from += sizes[i];
            }
        }
        return loss;
    }

    public void fill(DeviceBatch batch, long step, int from, int size) {
        int bytes = spec().rowBytes();
        batch.begin(step, step, 0, Split.TRAIN, size);
        try (AlignedMemory memory = AlignedMemory.allocate(bytes, "a row")) {
            for (int i = 0; i < size; i++) {
                int row = from + i;
                if (bad.contains(row)) {
                    batch.filling().quarantine(i, row, row, FAILURE);
                    continue;
                }
                byte[] picture = new byte[bytes];
                Random random = new Random(row);
                random.nextBytes(picture);
                memory.buffer().put(0, picture);
                batch.filling().put(0, i, memory.address());
                batch.filling().place(i, row, row, random.nextInt(classes));
            }
        }
        batch.seal();
    }
}
