package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.train.loss.Loss;
import io.millrace.train.spec.NextTokens;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The labels of packed sequences, int64 [rows, 1, length]: the next token of its document for each token, and the number that the
 * loss leaves out for the last token of a document, for padding, and for labels whose {@code label_mask} is 0.
 */
final class TokenTargets implements Targets {
    private static final int MASK_VALUES = 256;

    private final Handles owned = new Handles();
    private final long ignored;
    private final Targets tokens;
    private final @Nullable Targets mask;
    private final ModelInput lengths;
    private final SequenceTensors sequences;

    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param classes the number of tokens that the model knows
     * @param device the operations on rows, which the caller owns; null if the CPU can read the batches
     * @throws TrainSpecException when the loss leaves out no label, or the fields are not those of packed sequences
     */
    TokenTargets(
            BatchSpec batch, Loss loss, int classes, int capacity, PtNDManager manager, @Nullable DeviceRows device) {
        this.ignored = loss.ignored()
                .orElseThrow(() -> new TrainSpecException("train.target '" + NextTokens.TARGET
                        + "' has no label for the last token of a document: expected a loss that leaves out a number, such as"
                        + " train.loss: {cross_entropy: {ignore_index: -100}}"));
        require(batch, NextTokens.TOKENS, Form.DENSE, 1, "whole numbers [length]");
        BatchSpec.Column given = require(batch, NextTokens.LENGTHS, Form.RAGGED, 0, "a ragged field of whole numbers");
        try {
            this.tokens = owned.add(classes(batch, NextTokens.TOKENS, classes, capacity, device));
            this.mask = batch.find(NextTokens.LABEL_MASK).isEmpty()
                    ? null
                    : owned.add(classes(batch, NextTokens.LABEL_MASK, MASK_VALUES, capacity, device));
            this.lengths = owned.add(
                    device == null
                            ? new PlainInput(batch, given)
                            : new PlainTensorInput(new ColumnTensors(batch, given)));
            this.sequences = owned.add(new SequenceTensors(manager));
        } catch (RuntimeException | Error e) {
            Handles.closeAfter(e, owned);
            throw e;
        }
    }

    private static BatchSpec.Column require(BatchSpec batch, String field, Form form, int extents, String expected) {
        BatchSpec.Column column = BatchFields.column(batch, field);
        if (column.form() != form
                || column.shape().size() != extents
                || column.from().isFloat()) {
            throw new TrainSpecException("train.target '" + NextTokens.TARGET + "' is computed from '" + field
                    + "', which is " + column.describe() + ": expected " + expected + ", as pack_sequences makes them");
        }
        return column;
    }

    /** Returns the checked numbers of a field as targets. */
    private static Targets classes(
            BatchSpec batch, String field, int classes, int capacity, @Nullable DeviceRows device) {
        return Targets.classes(
                batch,
                field,
                new ClassNumbers(batch, field, classes, OptionalLong.empty(), "the loss"),
                capacity,
                device,
                null);
    }

    @Override
    public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
        PtNDArray numbers = rows(tokens, batch, manager);
        NDList ragged = new NDList();
        lengths.make(batch, List.of(), manager, ragged);
        SequenceTensors.Documents documents =
                new SequenceTensors.Documents((PtNDArray) ragged.get(0), (PtNDArray) ragged.get(1));
        PtNDArray labels = sequences.nextTokens(numbers, documents, ignored, manager);
        if (mask != null) {
            labels = sequences.masked(labels, rows(mask, batch, manager), ignored, manager);
        }
        Shape shape = labels.getShape();
        return labels.reshape(new Shape(shape.get(0), 1, shape.get(1)));
    }

    /** Returns the numbers of a field, int64 [rows, length]. */
    private static PtNDArray rows(Targets field, DeviceBatch batch, PtNDManager manager) {
        PtNDArray numbers = field.make(batch, List.of(), manager);
        Shape shape = numbers.getShape();
        return numbers.reshape(new Shape(shape.get(0), shape.get(2)));
    }

    @Override
    public void close() {
        owned.close();
    }
}
