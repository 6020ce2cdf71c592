package io.millrace.text;

import java.util.Collection;
import java.util.OptionalInt;

/** Millrace's own engine: a byte-level BPE. One thread uses it at a time; tokenizers of several threads share the vocabulary. */
final class ByteLevelTokenizer implements Tokenizer {
    private final ByteLevelVocabulary model;
    private final PretokenCache cache = new PretokenCache();
    private final PairMerger merger;
    private final int[] whole = new int[1];
    /** Whether the latest text was not in the normal form that the vocabulary needs. */
    private boolean changed;

    ByteLevelTokenizer(ByteLevelVocabulary model) {
        this.model = model;
        this.merger = model.merger();
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        changed = false;
        int start = from;
        int at = model.raw.next(utf8, from, to);
        while (at < to) {
            long token = model.raw.longest(utf8, at, to);
            if (token < 0) {
                at = model.raw.next(utf8, at + 1, to);
                continue;
            }
            between(utf8, start, at, ids);
            ids.add((int) (token >>> Integer.SIZE));
            start = (int) token;
            at = model.raw.next(utf8, start, to);
        }
        between(utf8, start, to, ids);
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans) {
        int first = ids.size();
        encode(utf8, from, to, ids);
        if (changed) {
            throw new IllegalArgumentException(
                    "The bytes of each token are unknown: expected a text in the normal form NFC, which the"
                            + " tokenizer makes of it, found another form");
        }
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

    /** Encodes a text between added tokens that are found in it as it is. */
    private void between(byte[] utf8, int from, int to, TokenIds ids) {
        byte[] composed = model.cuts.composed() ? ComposedForm.changed(utf8, from, to) : null;
        if (composed == null) {
            normalized(utf8, from, to, ids);
        } else {
            changed = true;
            normalized(composed, 0, composed.length, ids);
        }
    }

    private void normalized(byte[] utf8, int from, int to, TokenIds ids) {
        int start = from;
        int at = model.normalized.next(utf8, from, to);
        while (at < to) {
            long token = model.normalized.longest(utf8, at, to);
            if (token < 0) {
                at = model.normalized.next(utf8, at + 1, to);
                continue;
            }
            plain(utf8, start, at, ids);
            ids.add((int) (token >>> Integer.SIZE));
            start = (int) token;
            at = model.normalized.next(utf8, start, to);
        }
        plain(utf8, start, to, ids);
    }

    private void plain(byte[] utf8, int from, int to, TokenIds ids) {
        int at = from;
        while (at < to) {
            int end = model.cuts.pretokens().end(utf8, at, to);
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
