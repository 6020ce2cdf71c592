package io.millrace.dataset.packed;

import io.millrace.order.Order;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.RowCost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The numbers of tokens of the documents of training datasets.
 *
 * <p>Tested by {@code RowArrangementTest} and {@code GrowingLengthsTest}.
 */
public record DocumentTokens(Opened<DocumentLengths> lengths) implements RowCost {
    /** Creates the numbers of tokens of each training dataset, by the numbers of the datasets. */
    public DocumentTokens(Map<Integer, Opened.Spec<DocumentLengths>> counts) {
        this(new Opened<>(counts));
    }

    /** @throws UncheckedIOException when the file with the lengths of the documents cannot be read, or they cannot be counted */
    @Override
    public double cost(Order.Pick row) {
        return tokens(row);
    }

    /** Returns the number of tokens of a row, after waiting until they are counted; negative for a bad document. */
    public int tokens(Order.Pick row) {
        int length = lengths.of(row).length(row.index());
        while (length == DocumentLengths.NOT_COUNTED) { // another count may have replaced the one that was waited for
            try {
                Opened.await(nanos -> lengths.of(row).await(new long[] {row.index()}, nanos));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            length = lengths.of(row).length(row.index());
        }
        return length;
    }

    /** Returns whether the tokens of a row are counted. */
    public boolean isCounted(Order.Pick row) {
        return lengths.of(row).length(row.index()) != DocumentLengths.NOT_COUNTED;
    }

    @Override
    public boolean await(Order.Pick[] rows, long nanos) throws IOException {
        for (List<Order.Pick> same : Arrays.stream(rows)
                .collect(Collectors.groupingBy(Order.Pick::source))
                .values()) {
            long[] documents = same.stream().mapToLong(Order.Pick::index).toArray();
            if (!lengths.of(same.get(0)).await(documents, nanos)) {
                return false;
            }
        }
        return true;
    }
}
