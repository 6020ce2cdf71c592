package io.millrace.text;

import java.util.Collection;
import java.util.OptionalInt;

/** Millrace's own engine: a byte-level BPE. One thread uses it at a time; tokenizers of several threads share the vocabulary. */
final class ByteLevelTokenizer implements Tokenizer {
    private final ByteLevelVocabulary model;
    private final PretokenCache cache = new PretokenCache();
    private final PairMerger merger;
    private final int[] whole = new int[1];

    ByteLevelTokenizer(ByteLevelVocabulary model) {
        this.model = model;
        this.merger = model.merger();
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        int start = from;
        int at = model.added.next(utf8, from, to);
        while (at < to) {
            long token = model.added.longest(utf8, at, to);
            if (token < 0) {
                at = model.added.next(utf8, at + 1, to);
                continue;
            }
            plain(utf8, start, at, ids);
            ids.add((int) (token >>> Integer.SIZE));
            start = (int) token;
            at = model.added.next(utf8, start, to);
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

    private void plain(byte[] utf8, int from, int to, TokenIds ids) {
        int at = from;
        while (at < to) {
            int end = model.pretokens.end(utf8, at, to);
            pretoken(utf8, at, end, ids);
            at = end;
        }
    }

    private void pretoken(byte[] utf8, int from, int to, TokenIds ids) {
        boolean kept = to - from <= PretokenCache.LONGEST;
        if (kept && cache.addTo(ids, utf8, from, to)) {
            return;
        }
        int count = 1;
        int[] made = whole;
        whole[0] = model.whole.id(utf8, from, to);
        if (whole[0] < 0) {
            count = merger.merge(utf8, from, to);
            made = merger.ids();
        }
        for (int i = 0; i < count; i++) {
            ids.add(made[i]);
        }
        if (kept) {
            cache.put(made, count);
        }
    }

    /** Forgets the pretokens of earlier texts, for a measurement of the first text. */
    void clearCache() {
        cache.clear();
    }

    /** Returns the vocabulary that tokenizers share. */
    ByteLevelVocabulary vocabulary() {
        return model;
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
        return ints(model.vocabulary.template().prefix());
    }

    @Override
    public int[] suffix() {
        return ints(model.vocabulary.template().suffix());
    }

    private static int[] ints(Collection<Integer> ids) {
        return ids.stream().mapToInt(Integer::intValue).toArray();
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
