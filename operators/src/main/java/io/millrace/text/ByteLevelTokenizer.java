package io.millrace.text;

import io.millrace.metrics.CacheUse;
import java.util.Collection;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Millrace's own engine: a byte-level BPE. One thread uses it at a time; tokenizers of several threads share the vocabulary. */
final class ByteLevelTokenizer implements Tokenizer {
    private final ByteLevelVocabulary model;
    private final PretokenCache cache = new PretokenCache();
    private final PairMerger merger;
    private final int[] whole = new int[1];
    /** The numbers of pretokens, and of those whose ids the cache had. */
    private long pretokens;

    private long cached;
    /** Whether the latest text was not in the normal form that the vocabulary needs. */
    private boolean changed;
    /** Null before the first such text whose bytes are needed. */
    private @Nullable ComposedSpans composed;

    ByteLevelTokenizer(ByteLevelVocabulary model) {
        this.model = model;
        this.merger = model.merger();
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids) {
        changed = false;
        split(model.raw, utf8, from, to, ids, this::between);
    }

    /** The way of a text in which no more added tokens are looked for. */
    private interface Plain {
        void encode(byte[] utf8, int from, int to, TokenIds ids);
    }

    private void split(AddedTokens tokens, byte[] utf8, int from, int to, TokenIds ids, Plain plain) {
        int start = from;
        int at = tokens.next(utf8, from, to);
        while (at < to) {
            long token = tokens.longest(utf8, at, to);
            if (token < 0) {
                at = tokens.next(utf8, at + 1, to);
                continue;
            }
            int id = (int) (token >>> Integer.SIZE);
            if (model.words.get(id) && WordCharacters.beside(utf8, from, at, (int) token, to)) {
                at = tokens.next(utf8, (int) token, to);
                continue;
            }
            plain.encode(utf8, start, model.left.get(id) ? spacesBefore(utf8, start, at) : at, ids);
            ids.add(id);
            start = spacesAfter(utf8, (int) token, to, model.right.get(id));
            at = tokens.next(utf8, start, to);
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

    private static int spacesAfter(byte[] utf8, int at, int to, boolean taken) {
        return taken ? CodePoints.run(utf8, at, to, CodePoints.SPACE) : at;
    }

    @Override
    public void encode(byte[] utf8, int from, int to, TokenIds ids, TokenSpans spans) {
        int first = ids.size();
        encode(utf8, from, to, ids);
        if (changed) {
            composed().add(utf8, from, to, ids, first, spans);
            return;
        }
        int at = from;
        for (int i = first; i < ids.size(); i++) {
            int id = ids.get(i);
            int begin = at;
            // As in the library, the white space that an added token takes belongs to it.
            at = spacesAfter(utf8, at, to, model.left.get(id)) + model.lengths[id];
            at = spacesAfter(utf8, Math.min(at, to), to, model.right.get(id));
            spans.add(begin - from, at - from);
        }
        if (at != to) {
            throw new IllegalArgumentException("The bytes of each token are unknown: expected tokens of " + (to - from)
                    + " bytes in all, as the text has, found " + (at - from) + " bytes");
        }
    }

    private ComposedSpans composed() {
        ComposedSpans known = composed;
        if (known == null) {
            known = new ComposedSpans(Objects.requireNonNull(model.cuts.composed()));
            composed = known;
        }
        return known;
    }

    /** Encodes a text between added tokens that are found in it as it is. */
    private void between(byte[] utf8, int from, int to, TokenIds ids) {
        byte[] composed = model.cuts.composed() != null ? ComposedForm.changed(utf8, from, to) : null;
        if (composed == null) {
            split(model.normalized, utf8, from, to, ids, this::plain);
        } else {
            changed = true;
            split(model.normalized, composed, 0, composed.length, ids, this::plain);
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

    private void pretoken(byte[] utf8, int from, int to, TokenIds ids) {
        pretokens++;
        boolean kept = to - from <= PretokenCache.LONGEST;
        if (kept && cache.addTo(ids, utf8, from, to)) {
            cached++;
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

    @Override
    public ByteLevelVocabulary vocabulary() {
        return model;
    }

    @Override
    public OptionalInt id(String token) {
        return model.vocabulary.id(token);
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
    public CacheUse cacheUse() {
        return new CacheUse(pretokens, cached);
    }

    @Override
    public String engine() {
        return "millrace";
    }

    @Override
    public void close() {
        ComposedSpans opened = composed; // all other memory is the collector's
        if (opened != null) {
            opened.close();
        }
    }
}
