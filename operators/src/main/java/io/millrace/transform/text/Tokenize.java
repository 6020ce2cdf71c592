package io.millrace.transform.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.metrics.CacheUse;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.text.KnownIds;
import io.millrace.text.SequenceEnds;
import io.millrace.text.SpecialTokens;
import io.millrace.text.TokenIds;
import io.millrace.text.TokenSpans;
import io.millrace.text.Tokenizer;
import io.millrace.text.Tokenizers;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformFactory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transform that turns the text of a field into the ids of a vocabulary: int32 [n] with a different n for each sample. If the sample
 * states the parts of the text that a loss counts, the transform also makes a mask of the tokens in these parts: uint8 [n]. Tokens that
 * begin a sequence are not in the mask, and those that end it are if a part ends where the text ends.
 *
 * <p>Tested by {@code PackSequencesTest} and {@code LossSpansTest}.
 */
final class Tokenize implements Transform {
    /** The name of the transform in pipeline files. */
    static final String NAME = "tokenize";

    /** The field of the ids. */
    static final String TOKENS = "tokens";

    /** The field that says of each token whether a loss counts it, 1 or 0. */
    static final String LABEL_MASK = "label_mask";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String from;
    private final String into;
    private final int most;
    private final Tokenizer tokenizer;
    private final SequenceEnds ends;
    private final String lossSpans;
    private final String labelMask;
    private final TokenIds ids = new TokenIds();
    private final TokenSpans spans = new TokenSpans();

    /** Whether ids are kept for another instance, which makes batches of the same texts. */
    private boolean keeping;

    /** The CPU time of the instance that made the latest ids, if it was not this one. */
    private long otherCpuNanos;

    /** The CPU time of the latest ids, if they are kept. */
    private long keptCpuNanos;

    private Tokenize(String from, String into, int most, Tokenizer tokenizer, SequenceEnds ends) {
        this.from = from;
        this.into = into;
        this.most = most;
        this.tokenizer = tokenizer;
        this.ends = ends;
        this.lossSpans = LossSpans.fieldOf(from);
        this.labelMask = LossSpans.maskOf(into);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        Field text = sample.field(from);
        if (text.dtype() != DType.UINT8 || text.shape().length != 1) {
            throw new IllegalStateException(
                    NAME + " expected a text in the field '" + from + "' of " + sample.key() + ", found " + text);
        }
        byte[] utf8 = text.data();
        if (utf8.length == 0) {
            throw new BadSampleException(sample.key(), -1, "the text '" + from + "' is empty");
        }
        LossSpans counted = sample.fieldNames().contains(lossSpans) ? LossSpans.of(sample, lossSpans, utf8) : null;
        if (counted == null) {
            LossSpans.requireNone(sample, from);
        }
        ids.clear();
        spans.clear();
        otherCpuNanos = 0;
        keptCpuNanos = 0;
        ends.begin(ids);
        int first = ids.size();
        try {
            if (counted == null) {
                encode(utf8);
            } else {
                tokenizer.encode(utf8, 0, utf8.length, ids, spans);
            }
        } catch (IllegalArgumentException e) { // a text that the engine refuses, such as one that is too long for it
            throw new BadSampleException(sample.key(), -1, NAME + ": " + e.getMessage());
        }
        int last = ids.size();
        ends.end(ids);
        int count = Math.min(most, ids.size());
        byte[] bytes = new byte[count * Integer.BYTES];
        ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            values.putInt(ids.get(i));
        }
        sample.remove(from);
        sample.put(into, ragged(DType.INT32, count, bytes));
        if (counted != null) {
            byte[] mask = new byte[ids.size()];
            counted.mark(spans, mask, first);
            if (counted.reachesEnd()) {
                Arrays.fill(mask, last, mask.length, (byte) 1);
            }
            sample.remove(lossSpans);
            sample.put(labelMask, ragged(DType.UINT8, count, Arrays.copyOf(mask, count)));
        }
    }

    private void encode(byte[] utf8) {
        KnownIds.Known known = keeping ? null : KnownIds.OF_PROCESS.take(tokenizer.vocabulary(), utf8);
        if (known != null) {
            known.appendTo(ids);
            otherCpuNanos = known.cpuNanos();
            return;
        }
        int first = ids.size();
        long began = keeping ? THREADS.getCurrentThreadCpuTime() : 0;
        tokenizer.encode(utf8, 0, utf8.length, ids);
        if (keeping) {
            long cpuNanos = THREADS.getCurrentThreadCpuTime() - began;
            boolean kept = KnownIds.OF_PROCESS.put(tokenizer.vocabulary(), utf8, ids.from(first), cpuNanos);
            keptCpuNanos = kept ? cpuNanos : 0;
        }
    }

    @Override
    public void keepForLater() {
        keeping = true;
    }

    @Override
    public long keptCpuNanos() {
        return keptCpuNanos;
    }

    @Override
    public long remoteCpuNanos() {
        return otherCpuNanos;
    }

    @Override
    public @Nullable CacheUse cacheUse() {
        return tokenizer.cacheUse();
    }

    private static Field ragged(DType dtype, int count, byte[] values) {
        return Field.of(dtype, new int[] {count}, values).as(FieldKind.RAGGED);
    }

    @Override
    public void close() {
        if (keeping) {
            KnownIds.OF_PROCESS.forget(tokenizer.vocabulary());
        }
        tokenizer.close();
    }

    /** The factory of {@code tokenize}. */
    public static final class Factory implements TransformFactory {
        static final Option<String> TOKENIZER = Option.of(
                        "tokenizer",
                        OptionType.TEXT.ofPaths(Tokenizers.names()),
                        "A tokenizer.json of Hugging Face, a tekken.json of Mistral, a folder with one, a *.model of SentencePiece, ranks of tiktoken,"
                                + " or gpt2, cl100k_base or o200k_base.")
                .alsoCalled("name", "model", "tokenizer_name", "pretrained");

        private static final Option<List<SequenceEnds.Kind>> ADD = Option.of(
                        "add",
                        OptionType.listOf(OptionType.choice(SequenceEnds.Kind.class)),
                        "The tokens to add to each text: bos before it, eos after it, or template for those that the tokenizer's"
                                + " own template adds.")
                .orElse(List.of())
                .alsoCalled("add_special_tokens");

        private static final Option<String> BOS = Option.of(
                        "bos",
                        OptionType.TEXT,
                        "The text of the token that begins a sequence; without it, the one that the files beside the"
                                + " tokenizer.json name.")
                .optional()
                .alsoCalled("bos_token");

        private static final Option<String> EOS = Option.of(
                        "eos",
                        OptionType.TEXT,
                        "The text of the token that ends a sequence; without it, the one that the files beside the"
                                + " tokenizer.json name.")
                .optional()
                .alsoCalled("eos_token");

        private static final Option<Integer> MAX_LENGTH = Option.of(
                        "max_length",
                        OptionType.INTEGER,
                        "The largest number of tokens of a text, with the added ones; what is longer is cut. Without it, nothing is"
                                + " cut.")
                .optional()
                .alsoCalled("truncate");

        private static final Option<String> FIELD = Option.of(
                        "field", OptionType.TEXT, "The field with the text, in whose place its tokens are put.")
                .orElse("text");

        private static final Option<String> INTO =
                Option.of("into", OptionType.TEXT, "The field of the tokens.").orElse(TOKENS);

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(NAME, "tokenizer", "Tokenizer", "encode");
        }

        @Override
        public String help() {
            return "Turns a text into the ids of a tokenizer's vocabulary.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(TOKENIZER, ADD, BOS, EOS, MAX_LENGTH, FIELD, INTO);
        }

        @Override
        public boolean nests() {
            return false; // a tokenizer may own native memory
        }

        @Override
        public void check(OptionValues options) {
            create(options).close();
        }

        @Override
        public Transform create(OptionValues options) {
            int most = options.find(MAX_LENGTH).orElse(Integer.MAX_VALUE);
            if (most < 1) {
                throw new IllegalArgumentException("max_length: expected at least 1 token, found " + most);
            }
            String name = options.get(TOKENIZER);
            try {
                SpecialTokens special =
                        new SpecialTokens(options.find(BOS), options.find(EOS)).or(SpecialTokens.of(name));
                Tokenizer tokenizer = Tokenizers.open(name).tokenizer();
                try {
                    SequenceEnds ends = SequenceEnds.of(options.get(ADD), special, tokenizer);
                    return new Tokenize(options.get(FIELD), options.get(INTO), most, tokenizer, ends);
                } catch (RuntimeException e) {
                    tokenizer.close();
                    throw e;
                }
            } catch (IOException e) {
                throw new IllegalArgumentException("tokenizer: " + e.getMessage(), e);
            }
        }
    }
}
