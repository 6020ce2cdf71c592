package io.millrace.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Millrace's own engine: a byte-level BPE. One thread uses it at a time. */
final class ByteLevelTokenizer implements Tokenizer {
    private static final int SLOTS = 1 << 16;
    private static final int LONGEST_CACHED = 64;

    private final ByteLevelVocabulary model;
    private final List<Map.Entry<byte[], Integer>> added = new ArrayList<>();
    private final boolean[] beginsAdded = new boolean[256];
    /** The last pretoken of each slot; at most 2^16 of 64 bytes. */
    private final byte[] @Nullable [] keys = new byte[SLOTS][];

    private final int[] @Nullable [] values = new int[SLOTS][];
    private final int[] work = new int[256];

    ByteLevelTokenizer(ByteLevelVocabulary model) {
        this.model = model;
        model.vocabulary
                .added()
                .forEach((token, id) -> added.add(Map.entry(token.getBytes(StandardCharsets.UTF_8), id)));
        // The longest of the tokens that begin at a byte holds.
        added.sort((a, b) -> Integer.compare(b.getKey().length, a.getKey().length));
        added.forEach(token -> beginsAdded[token.getKey()[0] & 0xFF] = true);
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        int start = from;
        int at = from;
        while (at < to) {
            Map.Entry<byte[], Integer> token = beginsAdded[utf8[at] & 0xFF] ? addedAt(utf8, at, to) : null;
            if (token == null) {
                at++;
                continue;
            }
            plain(utf8, start, at, ids);
            ids.add(token.getValue());
            at += token.getKey().length;
            start = at;
        }
        plain(utf8, start, to, ids);
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans) {
        int first = ids.size();
        encode(utf8, from, to, ids);
        int at = 0;
        for (int i = first; i < ids.size(); i++) {
            int begin = at;
            at += model.lengths[ids.get(i)];
            spans.add(begin, at);
        }
        if (at != to - from) {
            throw new IllegalArgumentException("The bytes of each token are unknown: expected tokens of " + (to - from)
                    + " bytes in all, as the text has, found " + at + " bytes");
        }
    }

    private Map.@Nullable Entry<byte[], Integer> addedAt(byte[] utf8, int at, int to) {
        for (Map.Entry<byte[], Integer> token : added) {
            int end = at + token.getKey().length;
            if (end <= to && Arrays.equals(utf8, at, end, token.getKey(), 0, token.getKey().length)) {
                return token;
            }
        }
        return null;
    }

    private void plain(byte[] utf8, int from, int to, TokenIds ids) {
        int at = from;
        while (at < to) {
            int end = model.pretokens.end(utf8, at, to);
            pretoken(utf8, at, end, ids);
            at = end;
        }
    }

    private void pretoken(byte[] utf8, int from, int to, TokenIds ids) {
        int length = to - from;
        int hash = 0;
        if (length <= LONGEST_CACHED) {
            for (int i = from; i < to; i++) {
                hash = 31 * hash + utf8[i];
            }
            hash = (hash * 0x9E3779B9) >>> 16;
            byte[] key = keys[hash];
            int[] value = values[hash];
            if (key != null && value != null && Arrays.equals(key, 0, key.length, utf8, from, to)) {
                for (int id : value) {
                    ids.add(id);
                }
                return;
            }
        }
        Integer whole = model.wholeFirst ? model.whole(utf8, from, to) : null;
        int[] merging = length <= work.length ? work : new int[length];
        int count = 1;
        if (whole != null) {
            merging[0] = whole;
        } else {
            for (int i = 0; i < length; i++) {
                merging[i] = model.bytes[utf8[from + i] & 0xFF];
            }
            count = model.merges.merge(merging, length);
        }
        for (int i = 0; i < count; i++) {
            ids.add(merging[i]);
        }
        if (length <= LONGEST_CACHED) {
            keys[hash] = Arrays.copyOfRange(utf8, from, to);
            values[hash] = Arrays.copyOf(merging, count);
        }
    }

    @Override
    public OptionalInt id(String token) {
        Integer id = model.vocabulary.ids().get(token);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }

    @Override
    public int size() {
        return model.vocabulary.size();
    }

    @Override
    public int[] prefix() {
        return model.vocabulary.template().prefix().stream()
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Override
    public int[] suffix() {
        return model.vocabulary.template().suffix().stream()
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Override
    public String engine() {
        return "millrace";
    }

    @Override
    public void close() {
        // The memory is the collector's.
    }
}
