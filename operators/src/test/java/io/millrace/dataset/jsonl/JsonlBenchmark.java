package io.millrace.dataset.jsonl;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.text.TextFormat;
import io.millrace.dataset.tokens.TokensFormat;
import io.millrace.option.OptionValues;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * A program that writes a corpus into a folder and prints the speed of its index and of its documents: {@code lines FOLDER MEGABYTES},
 * {@code text FOLDER MEGABYTES} (the same file, divided at {@code "}, "}), {@code short FOLDER LINES} (the memory of an index of many
 * lines) or {@code tokens FOLDER MEGABYTES}. Times are the least of several rounds. An index is made on several threads, documents are
 * read on one.
 */
public final class JsonlBenchmark {
    private static final int ROUNDS = 5;
    private static final int MEGABYTE = 1_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final String[] WORDS =
            "the of and to in a is that for it as was with be by on not he his but at are this have from or".split(" ");

    private JsonlBenchmark() {}

    /** Prints the figures of the kind that the first argument names. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[1]);
        long size = Long.parseLong(arguments[2]);
        switch (arguments[0]) {
            case "lines" -> {
                Path file = folder.resolve("lines.jsonl");
                write(file, size * MEGABYTE);
                Map<String, Object> options = Map.of("path", file.toString(), "index_cache", "none");
                measure(file, new DatasetSpec("jsonl", OptionValues.of(new JsonlFormat().options(), options)));
            }
            case "text" -> {
                Path file = folder.resolve("lines.jsonl");
                write(file, size * MEGABYTE);
                Map<String, Object> options = Map.of(
                        "path", file.toString(), "separator", "\"}\n", "errors", "replace", "index_cache", "none");
                measure(file, new DatasetSpec("text", OptionValues.of(new TextFormat().options(), options)));
            }
            case "short" -> shortLines(folder.resolve("short.jsonl"), size);
            case "tokens" -> {
                Path file = folder.resolve("tokens.bin");
                writeIds(file, size * MEGABYTE / 2);
                Map<String, Object> options =
                        Map.of("path", file.toString(), "dtype", "uint16", "document_end", 0L, "index_cache", "none");
                measure(file, new DatasetSpec("tokens", OptionValues.of(new TokensFormat().options(), options)));
            }
            default ->
                throw new IllegalArgumentException("expected lines, text, short or tokens, found " + arguments[0]);
        }
    }

    private static void measure(Path file, DatasetSpec spec) throws IOException {
        long index = Long.MAX_VALUE;
        long indexCpu = Long.MAX_VALUE;
        long read = Long.MAX_VALUE;
        long documents = 0;
        for (int round = 0; round < ROUNDS; round++) {
            System.gc(); // an index that is still in memory would be used again
            long startCpu = PROCESS.getProcessCpuTime();
            long start = System.nanoTime();
            try (Dataset dataset = spec.open()) {
                index = Math.min(index, System.nanoTime() - start);
                indexCpu = Math.min(indexCpu, PROCESS.getProcessCpuTime() - startCpu);
                long opened = THREADS.getCurrentThreadCpuTime();
                documents = dataset.size();
                for (long document = 0; document < documents; document++) {
                    dataset.read(document);
                }
                read = Math.min(read, THREADS.getCurrentThreadCpuTime() - opened);
            }
        }
        long bytes = Files.size(file);
        System.out.printf(
                Locale.ROOT,
                "%d documents, %d MB: index %.0f MB/s, %.0f MB/s of CPU time; documents %.0f MB/s of CPU time%n",
                documents,
                bytes / MEGABYTE,
                bytes * 1000.0 / index,
                bytes * 1000.0 / indexCpu,
                bytes * 1000.0 / read);
    }

    private static void shortLines(Path file, long lines) throws IOException {
        byte[] line = "{\"text\":\"a\"}\n".getBytes(StandardCharsets.US_ASCII);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (long number = 0; number < lines; number++) {
                out.write(line);
            }
        }
        Map<String, Object> options = Map.of("path", file.toString(), "index_cache", "none");
        long start = System.nanoTime();
        try (Dataset dataset = new DatasetSpec("jsonl", OptionValues.of(new JsonlFormat().options(), options)).open()) {
            double seconds = (System.nanoTime() - start) / 1e9;
            System.gc();
            long used =
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            System.out.printf(
                    Locale.ROOT, "%d lines: %.1f s, %d MB of heap%n", dataset.size(), seconds, used / MEGABYTE);
        }
    }

    private static void write(Path file, long bytes) throws IOException {
        Random random = new Random(1);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (long done = 0; done < bytes; ) {
                StringBuilder text = new StringBuilder("{\"id\": " + done + ", \"text\": \"");
                int words = 50 + random.nextInt(1000);
                for (int word = 0; word < words; word++) {
                    text.append(WORDS[random.nextInt(WORDS.length)])
                            .append(
                                    switch (random.nextInt(40)) {
                                        case 0 -> "\\n";
                                        case 1 -> " \u00e9t\u00e9 ";
                                        case 2 -> " \\\"it\\\" ";
                                        default -> " ";
                                    });
                }
                byte[] line = text.append("\", \"url\": \"https://example.org/")
                        .append(done)
                        .append("\"}\n")
                        .toString()
                        .getBytes(StandardCharsets.UTF_8);
                out.write(line);
                done += line.length;
            }
        }
    }

    private static void writeIds(Path file, long ids) throws IOException {
        Random random = new Random(1);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (long number = 0; number < ids; number++) {
                int id = random.nextInt(800) == 0 ? 0 : 1 + random.nextInt(50_000);
                out.write(id);
                out.write(id >> 8);
            }
        }
    }
}
