package io.millrace.dataset.parquet;

import io.millrace.dataset.parquet.DecodedRows.State;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A decoder that combines the values and levels of one part into rows. Belongs to one thread.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class PartDecoder {
    /** The largest size of the values of a part in bytes. Only a part of a single row can be that large. */
    private static final long MAX_BYTES = 1 << 30;

    /**
     * The levels of a page that are decoded.
     *
     * @param from the first level
     * @param to the level after the last one
     */
    record Piece(DecompressedPage page, int from, int to) {}

    /** The values of a piece that are not null. */
    private record Values(Piece piece, int skipped, int count) {}

    private final ParquetColumn column;
    private final ListShape shape;
    private final List<int[]> shapes = new ArrayList<>();

    /** For each row its state, and the number of its first element. */
    private State[] states = new State[16];

    private int[] firsts = new int[16];
    private int rows;
    private int elements;

    /** The levels of the entries of a nested column so far, and the number of the first entry of each row. */
    private byte[] levels = new byte[0];

    private int[] entriesBefore = new int[0];
    private int entries;

    private PartDecoder(ParquetColumn column) {
        this.column = column;
        this.shape = new ListShape(column.depth());
    }

    /**
     * Decodes the rows of a part.
     *
     * @throws RuntimeException when a page is damaged
     */
    static DecodedRows decode(ParquetColumn column, List<Piece> pieces, Optional<PageDictionary> dictionary) {
        return new PartDecoder(column).decode(pieces, dictionary);
    }

    private DecodedRows decode(List<Piece> pieces, Optional<PageDictionary> dictionary) {
        List<Values> values = new ArrayList<>();
        for (Piece piece : pieces) {
            values.add(decodeLevels(piece));
        }
        if (rows > 0) {
            endRow();
        }
        firsts = Arrays.copyOf(firsts, rows + 1);
        firsts[rows] = elements;
        states = Arrays.copyOf(states, rows);
        levels = Arrays.copyOf(levels, 2 * entries);
        if (column.nested()) {
            entriesBefore = Arrays.copyOf(entriesBefore, rows + 1);
            entriesBefore[rows] = entries;
        }
        if (column.content().dtype() == null) {
            return decoded(new byte[0], slices(values, dictionary));
        }
        byte[] stored = numbers(values, dictionary);
        if (column.content().unsignedLong()) {
            markLargeNumbers(stored);
        }
        return decoded(converted(stored), List.of());
    }

    private DecodedRows decoded(byte[] numbers, List<ByteBuffer> slices) {
        return new DecodedRows(column, states, firsts, shapes, numbers, slices, levels, entriesBefore);
    }

    /** Keeps the levels of entries of a nested column. */
    private void keepLevels(int repetition, int definition, int count) {
        if (!column.nested()) {
            return;
        }
        if (repetition == 0) {
            if (entriesBefore.length < rows) {
                entriesBefore = Arrays.copyOf(entriesBefore, 2 * rows);
            }
            entriesBefore[rows - 1] = entries;
        }
        if (levels.length < 2 * (entries + count)) {
            levels = Arrays.copyOf(levels, Math.max(4 * entries, 2 * (entries + count)));
        }
        for (int i = 0; i < count; i++) {
            levels[2 * entries] = (byte) repetition;
            levels[2 * entries + 1] = (byte) definition;
            entries++;
        }
    }

    private Values decodeLevels(Piece piece) {
        RunLengths repetitions = piece.page.repetitions();
        RunLengths definitions = piece.page.definitions();
        int most = column.definition();
        int depth = column.depth();
        repetitions.count(0, piece.from);
        int skipped = (int) definitions.count(most, piece.from);
        int before = elements;
        for (int i = piece.from; i < piece.to; i++) {
            int repetition = repetitions.next();
            int definition = definitions.next();
            decodeLevel(repetition, definition);
            keepLevels(repetition, definition, 1);
            if (depth > 0 && repetition == depth && definition == most) {
                // Most elements of a list repeat the levels of the element before them.
                long more = Math.min(Math.min(repetitions.repeats(), definitions.repeats()), piece.to - i - 1);
                repetitions.skipRepeats(more);
                definitions.skipRepeats(more);
                addElements(repetition, (int) more);
                keepLevels(repetition, definition, (int) more);
                i += (int) more;
            }
        }
        return new Values(piece, skipped, elements - before);
    }

    private void decodeLevel(int repetition, int definition) {
        if (repetition > column.depth() || definition > column.definition()) {
            throw new IllegalArgumentException("expected levels of at most " + column.depth() + " and "
                    + column.definition() + ", found " + repetition + " and " + definition);
        }
        if (repetition == 0) {
            beginRow();
        } else if (rows == 0) {
            throw new MisplacedRowsException("the page begins in the middle of a row");
        }
        if (definition == column.definition()) {
            addElements(repetition, 1);
        } else if (column.depth() > 0 && definition == column.listLevel() - 1) {
            // An empty list has no element to add.
            if (repetition != 0) {
                states[rows - 1] = State.IRREGULAR;
            }
        } else {
            states[rows - 1] = column.depth() > 0 && definition >= column.listLevel() ? State.IRREGULAR : State.NULL;
        }
    }

    private void beginRow() {
        if (rows > 0) {
            endRow();
        }
        if (rows == states.length) {
            states = Arrays.copyOf(states, 2 * rows);
            firsts = Arrays.copyOf(firsts, 2 * rows);
        }
        states[rows] = State.VALUE;
        firsts[rows] = elements;
        rows++;
        shape.beginRow();
    }

    private void endRow() {
        if (column.depth() > 1) {
            int[] extents = shape.extents();
            long product = 1;
            for (int extent : extents) {
                product *= extent;
            }
            shapes.add(extents);
            boolean whole = shape.isRegular() && product == elements - firsts[rows - 1];
            if (states[rows - 1] == State.VALUE && !whole) {
                states[rows - 1] = State.IRREGULAR;
            }
        }
    }

    private void addElements(int repetition, int count) {
        if ((elements + (long) count) * column.valueBytes() > MAX_BYTES) {
            throw new IllegalArgumentException("expected values of at most " + MAX_BYTES + " bytes, found more");
        }
        elements += count;
        if (column.depth() > 1) {
            for (int i = 0; i < count; i++) {
                shape.add(repetition);
            }
        }
    }

    private PageValues values(Values values, Optional<PageDictionary> dictionary) {
        PageValues source = PageValues.of(column, values.piece.page, dictionary);
        if ((long) values.skipped + values.count > source.most()) {
            throw new IllegalArgumentException("expected at least " + ((long) values.skipped + values.count)
                    + " values, found at most " + source.most());
        }
        source.skip(values.skipped);
        return source;
    }

    private List<ByteBuffer> slices(List<Values> all, Optional<PageDictionary> dictionary) {
        List<ByteBuffer> slices = new ArrayList<>();
        for (Values values : all) {
            if (values.count > 0) {
                int before = slices.size();
                values(values, dictionary).slices(values.count, slices);
                if (values.piece.to - values.piece.from < values.piece.page.count()) {
                    // The cache should not keep a whole page for some of its values.
                    slices.subList(before, slices.size()).replaceAll(PartDecoder::copy);
                }
            }
        }
        return slices;
    }

    private static ByteBuffer copy(ByteBuffer slice) {
        return ByteBuffer.allocate(slice.remaining()).put(slice.duplicate()).flip();
    }

    private byte[] numbers(List<Values> all, Optional<PageDictionary> dictionary) {
        List<PageValues> sources = new ArrayList<>();
        for (Values values : all) {
            // All pages are checked before memory for their values is allocated.
            sources.add(values.count == 0 ? null : values(values, dictionary));
        }
        byte[] numbers = new byte[elements * column.width()];
        int at = 0;
        for (int i = 0; i < sources.size(); i++) {
            int count = all.get(i).count;
            if (count > 0) {
                sources.get(i).numbers(count, numbers, at);
                at += count * column.width();
            }
        }
        return numbers;
    }

    private void markLargeNumbers(byte[] stored) {
        for (int row = 0; row < rows; row++) {
            for (int i = firsts[row]; i < firsts[row + 1]; i++) {
                if (stored[i * Long.BYTES + Long.BYTES - 1] < 0 && (states[row] == State.VALUE || column.nested())) {
                    states[row] = State.TOO_LARGE;
                }
            }
        }
    }

    /** Returns the numbers in the type of the sample's field, which may be narrower or wider than the stored type. */
    private byte[] converted(byte[] stored) {
        DType dtype = Objects.requireNonNull(column.content().dtype());
        int width = dtype.bytes();
        if (width == column.width()) {
            return stored;
        }
        byte[] numbers = new byte[elements * width];
        if (width < column.width()) {
            for (int i = 0; i < elements; i++) {
                for (int j = 0; j < width; j++) {
                    numbers[i * width + j] = stored[i * column.width() + j];
                }
            }
        } else {
            ByteBuffer from = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN);
            ByteBuffer to = ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
            while (from.hasRemaining()) {
                to.putLong(Integer.toUnsignedLong(from.getInt()));
            }
        }
        return numbers;
    }
}
