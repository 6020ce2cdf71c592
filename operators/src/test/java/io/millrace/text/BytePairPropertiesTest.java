package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Compares the engine with a BPE that searches all pairs for each merge, over random vocabularies whose ranks are in no order. */
class BytePairPropertiesTest {
    private static final int BYTES = 256;

    /** A random vocabulary over a few bytes, so that merges are frequent. Its first tokens are the bytes. */
    private static final class Vocabulary {
        final List<String> tokens = new ArrayList<>();
        /** The left and the right token of each rank, and the merged one. */
        final List<int[]> ranks = new ArrayList<>();

        Vocabulary(Random random, int letters, int merges) {
            IntStream.range(0, BYTES).forEach(value -> tokens.add(String.valueOf((char) value)));
            List<Integer> used = new ArrayList<>();
            IntStream.range(0, letters).forEach(i -> used.add('a' + i));
            for (int i = 0; i < merges; i++) {
                int left = used.get(random.nextInt(used.size()));
                int right = used.get(random.nextInt(used.size()));
                String both = tokens.get(left) + tokens.get(right);
                int id = tokens.indexOf(both);
                if (both.length() > 40 || ranks.stream().anyMatch(pair -> pair[0] == left && pair[1] == right)) {
                    continue;
                }
                if (id < 0) {
                    id = tokens.size();
                    tokens.add(both);
                    used.add(id);
                }
                ranks.add(new int[] {left, right, id});
            }
            Collections.shuffle(ranks, random);
        }

        List<Integer> encode(byte[] text, int from, int to) {
            List<Integer> ids = new ArrayList<>();
            for (int i = from; i < to; i++) {
                ids.add(text[i] & 0xFF);
            }
            for (; ; ) {
                int best = ranks.size();
                int at = -1;
                for (int i = 0; i + 1 < ids.size(); i++) {
                    int rank = rank(ids.get(i), ids.get(i + 1));
                    if (rank < best) {
                        best = rank;
                        at = i;
                    }
                }
                if (at < 0) {
                    return ids;
                }
                ids.set(at, ranks.get(best)[2]);
                ids.remove(at + 1);
            }
        }

        private int rank(int left, int right) {
            for (int rank = 0; rank < ranks.size(); rank++) {
                if (ranks.get(rank)[0] == left && ranks.get(rank)[1] == right) {
                    return rank;
                }
            }
            return ranks.size();
        }

        BytePairMerges merges() {
            BytePairMerges merges = new BytePairMerges(ranks.size());
            for (int rank = 0; rank < ranks.size(); rank++) {
                int[] pair = ranks.get(rank);
                merges.put(pair[0], pair[1], rank, pair[2]);
            }
            return merges;
        }

        PairMerger merger() {
            int[] bytes = IntStream.range(0, BYTES).toArray();
            BytePairMerges merges = merges();
            return new PairMerger(merges, bytes, PairMerger.byteRanks(merges, bytes));
        }

        /** Returns a tokenizer.json with the pattern of GPT-2. */
        byte[] json() throws Exception {
            ObjectMapper mapper = new ObjectMapper();
            ObjectNode file = mapper.createObjectNode();
            ArrayNode added = file.putArray("added_tokens");
            added.addObject().put("id", tokens.size()).put("content", "<a>").put("normalized", false);
            file.putObject("pre_tokenizer").put("type", "ByteLevel").put("add_prefix_space", false);
            ObjectNode model = file.putObject("model").put("type", "BPE");
            ObjectNode ids = model.putObject("vocab");
            tokens.forEach(token -> ids.put(letters(token), ids.size()));
            ArrayNode merges = model.putArray("merges");
            ranks.forEach(
                    pair -> merges.addArray().add(letters(tokens.get(pair[0]))).add(letters(tokens.get(pair[1]))));
            return mapper.writeValueAsBytes(file);
        }

        private static String letters(String token) {
            StringBuilder letters = new StringBuilder();
            token.chars().forEach(value -> letters.append(ByteLevelVocabulary.letter(value)));
            return letters.toString();
        }
    }

    private static byte[] bytes(Random random, int letters, int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) (random.nextInt(50) == 0 ? random.nextInt(BYTES) : 'a' + random.nextInt(letters));
        }
        return text;
    }

    private static List<Integer> merged(PairMerger merger, byte[] text, int from, int to) {
        int count = merger.merge(text, from, to);
        return IntStream.of(merger.ids()).limit(count).boxed().toList();
    }

    /** Pretokens below and above the length from which they are merged by buckets, one after the other by one merger. */
    @Property(tries = 300)
    void mergesAreThoseOfAFullSearch(
            @ForAll Random random,
            @ForAll @IntRange(min = 1, max = 4) int letters,
            @ForAll @IntRange(min = 0, max = 120) int merges) {
        Vocabulary vocabulary = new Vocabulary(random, letters, merges);
        PairMerger merger = vocabulary.merger();
        for (int length : new int[] {1, 2, 7, PairMerger.SEARCHED, PairMerger.SEARCHED + 1, 400, 3, 200}) {
            byte[] text = bytes(random, letters, length + 2);
            assertThat(merged(merger, text, 1, length + 1)).isEqualTo(vocabulary.encode(text, 1, length + 1));
        }
    }

    @Property(tries = 100)
    void idsAreThoseOfEachPretokenAndDecodeToTheText(
            @ForAll Random random, @ForAll @IntRange(min = 1, max = 4) int letters) throws Exception {
        Vocabulary vocabulary = new Vocabulary(random, letters, 100);
        byte[] json = vocabulary.json();
        ByteLevelVocabulary read =
                ByteLevelFile.read(Path.of("random.json"), LibraryVocabulary.read("random.json", json), json);
        try (Tokenizer tokenizer = read.tokenizer().orElseThrow()) {
            for (int round = 0; round < 20; round++) {
                String written = text(random, letters);
                byte[] text = ("\0" + written + "\0").getBytes(StandardCharsets.UTF_8);
                TokenIds ids = new TokenIds();
                TokenSpans spans = new TokenSpans();
                tokenizer.encode(text, 1, text.length - 1, ids, spans);

                ByteArrayOutputStream decoded = new ByteArrayOutputStream();
                for (int i = 0; i < ids.size(); i++) {
                    String token = ids.get(i) == vocabulary.tokens.size() ? "<a>" : vocabulary.tokens.get(ids.get(i));
                    assertThat(spans.begin(i)).isEqualTo(decoded.size());
                    decoded.writeBytes(token.getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(spans.end(i)).isEqualTo(decoded.size());
                }
                assertThat(decoded.toByteArray()).isEqualTo(written.getBytes(StandardCharsets.UTF_8));
                assertThat(IntStream.of(ids.toArray()).boxed().toList())
                        .isEqualTo(pretokens(read, vocabulary, text, written));
            }
        }
    }

    private static List<Integer> pretokens(
            ByteLevelVocabulary read, Vocabulary vocabulary, byte[] text, String written) {
        List<Integer> ids = new ArrayList<>();
        int at = 1;
        for (String part : written.split("<a>", -1)) {
            int to = at + part.getBytes(StandardCharsets.UTF_8).length;
            while (at < to) {
                int end = read.cuts.pretokens().end(text, at, to);
                ids.addAll(vocabulary.encode(text, at, end));
                at = end;
            }
            at += 3;
            ids.add(vocabulary.tokens.size());
        }
        return ids.subList(0, ids.size() - 1);
    }

    private static String text(Random random, int letters) {
        String[] others = {" ", "  ", "\n", "\0", "é", "水", "🙂", "<a>", "<a", "1", "'s"};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(200); i >= 0; i--) {
            text.append(
                    random.nextInt(6) == 0
                            ? others[random.nextInt(others.length)]
                            : String.valueOf((char) ('a' + random.nextInt(letters))));
        }
        return text.toString();
    }

    @Test
    void longRunOfOneLetterIsMergedFromTheLeft() {
        Vocabulary vocabulary = new Vocabulary(new Random(1), 1, 0);
        for (int length = 2; length <= 32; length *= 2) {
            vocabulary.tokens.add("a".repeat(length));
            int half = length == 2 ? 'a' : vocabulary.tokens.size() - 2;
            vocabulary.ranks.add(new int[] {half, half, vocabulary.tokens.size() - 1});
        }
        byte[] text = "a".repeat(1_000_003).getBytes(StandardCharsets.US_ASCII);
        List<Integer> ids = merged(vocabulary.merger(), text, 0, text.length);
        assertThat(ids).hasSize(1_000_003 / 32 + 2).endsWith(BYTES + 4, BYTES, (int) 'a');
    }
}
