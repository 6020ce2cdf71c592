package io.millrace.text;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A program that prints figures of a tokenizer: {@code speed DOCUMENTS TOKENIZER}, {@code word TOKENIZER}, {@code memory TOKENIZER} or {@code
 * load TOKENIZER}.
 *
 * <p>{@code speed} encodes a file of documents, each its length in bytes (a big-endian int) and its bytes, once for each line of standard
 * input, with a cache that is empty at the beginning of each round. Times are CPU times of one thread.
 */
final class TokenizerBenchmark {
    private TokenizerBenchmark() {}

    /** Prints the figures of the kind that the first argument names. */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "speed" -> speed(Files.readAllBytes(Path.of(arguments[1])), arguments[2]);
            case "word" -> word(arguments[1]);
            case "memory" -> memory(arguments[1]);
            case "load" -> load(Path.of(arguments[1]));
            default ->
                throw new IllegalArgumentException("expected speed, word, memory or load, found " + arguments[0]);
        }
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void speed(byte[] documents, String spec) throws IOException {
        try (ChosenTokenizer chosen = Tokenizers.open(spec);
                BufferedReader rounds = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            print("%s", chosen.describe());
            TokenIds ids = new TokenIds();
            while (rounds.readLine() != null) {
                if (chosen.tokenizer() instanceof ByteLevelTokenizer own) {
                    own.clearCache();
                }
                long tokens = 0;
                long bytes = 0;
                long start = cpuNanos();
                for (ByteBuffer in = ByteBuffer.wrap(documents); in.hasRemaining(); ) {
                    int length = in.getInt();
                    int from = in.position();
                    ids.clear();
                    chosen.tokenizer().encode(documents, from, from + length, ids);
                    in.position(from + length);
                    tokens += ids.size();
                    bytes += length;
                }
                print("%d %d %d", bytes, tokens, cpuNanos() - start);
            }
        }
    }

    /** Encodes words of 10 MB without a space: of one letter, of few letters, and of random letters. */
    private static void word(String spec) throws IOException {
        int length = 10_000_000;
        try (ChosenTokenizer chosen = Tokenizers.open(spec)) {
            print("%s", chosen.describe());
            for (String letters : List.of("a", "ab", "etaoinshrdlu", "abcdefghijklmnopqrstuvwxyz", "水木金土日月火年")) {
                byte[] text = random(letters, length);
                for (int round = 0; round < 3; round++) {
                    TokenIds ids = new TokenIds();
                    long start = cpuNanos();
                    chosen.tokenizer().encode(text, 0, text.length, ids);
                    print("%s: %.2f s, %d ids", letters, (cpuNanos() - start) / 1e9, ids.size());
                }
            }
        }
    }

    private static byte[] random(String letters, int bytes) {
        StringBuilder text = new StringBuilder();
        int each = letters.substring(0, 1).getBytes(StandardCharsets.UTF_8).length;
        new Random(1).ints(bytes / each, 0, letters.length()).forEach(letter -> text.append(letters.charAt(letter)));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Loads a file three times, each time anew, in a process that has read another JSON. */
    private static void load(Path file) throws IOException {
        new ObjectMapper().readTree("{\"a\": [1, \"b\"]}");
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        for (int round = 1; round <= 3; round++) {
            long all = process.getProcessCpuTime();
            long own = cpuNanos();
            long bytes = threads.getCurrentThreadAllocatedBytes();
            String reason = Tokenizers.load(file).reason();
            print(
                    "load %d: %.2f s of CPU time of the thread, %.2f s of the process, %.0f MB allocated, because %s",
                    round,
                    (cpuNanos() - own) / 1e9,
                    (process.getProcessCpuTime() - all) / 1e9,
                    (threads.getCurrentThreadAllocatedBytes() - bytes) / 1e6,
                    reason);
        }
    }

    /** Opens a tokenizer for each of four slots. */
    private static void memory(String spec) throws IOException {
        List<ChosenTokenizer> slots = new ArrayList<>();
        long before = heap();
        for (int slot = 1; slot <= 4; slot++) {
            long start = System.nanoTime();
            slots.add(Tokenizers.open(spec));
            long opened = System.nanoTime() - start;
            print("%d slots: %.1f MB of heap, opened in %.0f ms", slot, (heap() - before) / 1e6, opened / 1e6);
        }
        slots.forEach(ChosenTokenizer::close);
        slots.clear();
        print("closed: %.1f MB of heap", (heap() - before) / 1e6);
    }

    private static long heap() {
        long[] used = new long[3];
        for (int i = 0; i < used.length; i++) {
            System.gc();
            used[i] = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }
        return Arrays.stream(used).min().orElseThrow();
    }
}
