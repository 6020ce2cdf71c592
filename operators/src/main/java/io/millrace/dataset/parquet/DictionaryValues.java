package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.List;

/** Values that are numbers of values in a dictionary, in the encodings PLAIN_DICTIONARY and RLE_DICTIONARY. */
final class DictionaryValues implements PageValues {
    private final PageDictionary dictionary;
    private final RunLengths indexes;

    DictionaryValues(PageDictionary dictionary, byte[] bytes, int from) {
        this.dictionary = dictionary;
        // A page of nulls may have no byte for the width of its numbers.
        this.indexes = from == bytes.length
                ? new RunLengths(bytes, from, from, 1)
                : new RunLengths(bytes, from + 1, bytes.length, Byte.toUnsignedInt(bytes[from]));
    }

    @Override
    public long most() {
        return Long.MAX_VALUE;
    }

    @Override
    public void skip(int count) {
        indexes.count(0, count);
    }

    private int index() {
        int index = indexes.next();
        if (index < 0 || index >= dictionary.size()) {
            throw new IllegalArgumentException("expected a number below " + dictionary.size()
                    + ", the size of the dictionary, found " + Integer.toUnsignedLong(index));
        }
        return index;
    }

    @Override
    public void numbers(int count, byte[] to, int at) {
        for (int i = 0; i < count; i++) {
            dictionary.number(index(), to, at + i * dictionary.width());
        }
    }

    @Override
    public void slices(int count, List<ByteBuffer> to) {
        for (int i = 0; i < count; i++) {
            to.add(dictionary.slice(index()));
        }
    }
}
