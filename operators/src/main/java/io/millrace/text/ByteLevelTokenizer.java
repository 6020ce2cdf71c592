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
    private final Added raw;
    private final Added normalized;
    /** The last pretoken of each slot; at most 2^16 of 64 bytes. */
    private final byte[] @Nullable [] keys = new byte[SLOTS][];

    private final int[] @Nullable [] values = new int[SLOTS][];
    private final int[] work = new int[256];

    ByteLevelTokenizer(ByteLevelVocabulary model) {
        this.model = model;
        raw = new Added(model.added.raw());
        normalized = new Added(model.added.normalized());
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        split(raw, utf8, from, to, ids, this::between);
    }

    /** The way of a text in which no more added tokens are looked for. */
    private interface Plain {
        void encode(byte[] utf8, int from, int to, TokenIds ids);
    }

    private void split(Added tokens, byte[] utf8, int from, int to, TokenIds ids, Plain plain) {
        int start = from;
        for (int at = from; at < to; ) {
            Map.Entry<byte[], Integer> token = tokens.at(utf8, at, to);
            if (token == null) {
                at++;
                continue;
            }
            int id = token.getValue();
            plain.encode(utf8, start, model.added.left().get(id) ? spacesBefore(utf8, start, at) : at, ids);
            ids.add(id);
            at += token.getKey().length;
            start = model.added.right().get(id) ? CodePoints.run(utf8, at, to, CodePoints.SPACE) : at;
            at = start;
        }
        plain.encode(utf8, start, to, ids);
    }

    /** Returns the start of the white space that ends at {@code to}. */
    private static int spacesBefore(byte[] utf8, int from, int to) {
        int start = to;
        for (int at = to - 1; at >= from; at--) {
            if ((utf8[at] & 0xC0) != 0x80) {
                if (CodePoints.kind(utf8, at, to) != CodePoints.SPACE) {
                    return start;
                }
                start = at;
            }
        }
        return start;
    }

    private void between(byte[] utf8, int from, int to, TokenIds ids) {
        byte[] changed = model.cuts.composed() ? ComposedForm.changed(utf8, from, to) : null;
        if (changed == null) {
            split(normalized, utf8, from, to, ids, this::plain);
        } else {
            split(normalized, changed, 0, changed.length, ids, this::plain);
        }
    }

    private void plain(byte[] utf8, int from, int to, TokenIds ids) {
        int at = from;
        while (at < to) {
            int end = model.cuts.pretokens().end(utf8, at, to);
            pretoken(utf8, at, end, ids);
            at = end;
        }
    }

    /** The added tokens that are found in a text. */
    private static final class Added {
        private final List<Map.Entry<byte[], Integer>> tokens = new ArrayList<>();
        private final boolean[] begins = new boolean[256];

        Added(Map<String, Integer> ids) {
            ids.forEach((token, id) -> tokens.add(Map.entry(token.getBytes(StandardCharsets.UTF_8), id)));
            // The longest of the tokens that begin at a byte holds.
            tokens.sort((a, b) -> Integer.compare(b.getKey().length, a.getKey().length));
            tokens.forEach(token -> begins[token.getKey()[0] & 0xFF] = true);
        }

        Map.@Nullable Entry<byte[], Integer> at(byte[] utf8, int at, int to) {
            if (!begins[utf8[at] & 0xFF]) {
                return null;
            }
            for (Map.Entry<byte[], Integer> token : tokens) {
                int end = at + token.getKey().length;
                if (end <= to && Arrays.equals(utf8, at, end, token.getKey(), 0, token.getKey().length)) {
                    return token;
                }
            }
            return null;
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
