package io.millrace.dataset.packed;

import io.millrace.order.Order;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.RowCost;
import java.util.Map;

/**
 * The numbers of tokens of the documents of training datasets.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
public record DocumentTokens(Opened<LengthsFile> lengths) implements RowCost {
    /** Creates the numbers of tokens of each training dataset, by the numbers of the datasets. */
    public DocumentTokens(Map<Integer, TokenCounts> counts) {
        this(new Opened<>(counts));
    }

    /** @throws java.io.UncheckedIOException when the file with the lengths of the documents cannot be read */
    @Override
    public double cost(Order.Pick row) {
        return tokens(row);
    }

    /** Returns the number of tokens of a row; negative for a bad document. */
    public int tokens(Order.Pick row) {
        return lengths.of(row).length(row.index());
    }
}
