package io.millrace.dataset.packed;

import io.millrace.order.Order;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.RowCost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The numbers of tokens of the documents of training datasets.
 *
 * <p>Tested by {@code RowArrangementTest}.
 */
public final class DocumentTokens implements RowCost {
    private static final long serialVersionUID = 1;

    private final Map<Integer, TokenCounts> counts;
    private transient Map<Integer, LengthsFile> files = new ConcurrentHashMap<>();

    /** Creates the numbers of tokens of each training dataset, by the numbers of the datasets. */
    public DocumentTokens(Map<Integer, TokenCounts> counts) {
        this.counts = Map.copyOf(counts);
    }

    /** @throws UncheckedIOException when the file with the lengths of the documents cannot be read */
    @Override
    public double cost(Order.Pick row) {
        return tokens(row);
    }

    /** Returns the number of tokens of a row; negative for a bad document. */
    public int tokens(Order.Pick row) {
        return files.computeIfAbsent(row.source(), this::open).length(row.index());
    }

    private LengthsFile open(int source) {
        try {
            return Objects.requireNonNull(counts.get(source)).open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Object readResolve() {
        return new DocumentTokens(counts);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DocumentTokens tokens && counts.equals(tokens.counts);
    }

    @Override
    public int hashCode() {
        return counts.hashCode();
    }

    @Override
    public String toString() {
        return "DocumentTokens";
    }
}
