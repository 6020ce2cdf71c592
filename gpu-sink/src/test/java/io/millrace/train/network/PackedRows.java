package io.millrace.train.network;

import static io.millrace.train.Vectors.part;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import io.millrace.train.TrainingFigures;
import io.millrace.train.Vectors;
import io.millrace.train.loss.Losses;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.NextTokens;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The packed sequences of text_mlp.safetensors as batches, and trainings on them. */
public record PackedRows(Vectors vectors) {
    public static final int VOCABULARY = 11;
    static final int ROWS = 4;
    static final int LENGTH = 12;

    static final BatchSpec.Column TOKENS = new BatchSpec.Column(NextTokens.TOKENS, DType.INT32, List.of(LENGTH));
    static final BatchSpec.Column LENGTHS =
            new BatchSpec.Column(NextTokens.LENGTHS, DType.INT32, List.of(), FieldKind.RAGGED, Form.RAGGED);
    static final BatchSpec.Column MASK = new BatchSpec.Column(NextTokens.LABEL_MASK, DType.UINT8, List.of(LENGTH));
    static final Component IGNORING = part(Losses.all(), "cross_entropy", Map.of("ignore_index", -100L));

    /** Returns a training on batches of these columns. */
    static TrainSpec spec(List<BatchSpec.Column> columns, Roles roles, Component model, Component loss) {
        return new TrainSpec(
                new TrainData(new BatchSpec(columns), roles, List.of()),
                new Recipe(model, loss, TrainingFigures.SGD, TrainingFigures.CONSTANT, 11),
                new RunLength(100, 1),
                Tuning.ofThreads(1));
    }

    /** Returns the training of the vectors, "all" or "masked", for a number of tokens. */
    public static TrainSpec spec(String name, long vocabulary) {
        return spec(
                name.equals("masked") ? List.of(TOKENS, LENGTHS, MASK) : List.of(TOKENS, LENGTHS),
                new Roles(List.of(NextTokens.TOKENS, NextTokens.LENGTHS), NextTokens.TARGET),
                model(vocabulary),
                IGNORING);
    }

    static Component model(long vocabulary) {
        return part(
                Models.all(),
                "text_mlp",
                Map.of("vocabulary", vocabulary, "context", 3L, "embedding", 5L, "hidden", List.of(6L)));
    }

    /** Fills a batch with all rows, which arrive out of order. */
    public void fill(DeviceBatch batch, long step, Split split) {
        batch.begin(step, step, 0, split, ROWS);
        for (int row : List.of(2, 0, 3, 1)) {
            for (int column = 0; column < batch.spec().columns().size(); column++) {
                byte[] bytes = bytes(batch.spec().columns().get(column), row);
                try (AlignedMemory memory = AlignedMemory.allocate(bytes.length, "a row")) {
                    memory.buffer().put(0, bytes);
                    batch.filling().put(column, row, memory.address(), bytes.length);
                }
            }
            batch.filling().place(row, row, row, 0);
        }
        batch.seal();
    }

    private byte[] bytes(BatchSpec.Column column, int row) {
        if (column.equals(MASK)) {
            byte[] all = new byte[ROWS * LENGTH];
            vectors.tensor(NextTokens.LABEL_MASK).values().get(0, all);
            return Arrays.copyOfRange(all, row * LENGTH, (row + 1) * LENGTH);
        }
        long[] all = vectors.longs(column.name());
        long[] counts = vectors.longs("counts");
        boolean tokens = column.equals(TOKENS);
        int from = tokens ? row * LENGTH : (int) Arrays.stream(counts, 0, row).sum();
        int to = from + (tokens ? LENGTH : (int) counts[row]);
        ByteBuffer numbers = ByteBuffer.allocate((to - from) * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(all, from, to).forEach(number -> numbers.putInt((int) number));
        return numbers.array();
    }
}
