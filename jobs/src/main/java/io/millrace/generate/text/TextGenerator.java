package io.millrace.generate.text;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.file.WholeFiles;
import io.millrace.generate.Generation;
import io.millrace.generate.Generator;
import io.millrace.generate.GeneratorRandom;
import io.millrace.generate.ProgressListener;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The generator of short stories as JSON lines, with a tokenizer of bytes. A document is a function of (seed, number). */
public final class TextGenerator implements Generator {
    /** The version of the stories, which is increased when they change, so that older folders are not reused. */
    private static final int VERSION = 1;

    /** The number of documents between two reports of progress. */
    private static final int CHUNK = 1000;

    /** The deviation of the logarithm of the lengths: one document in six is over 2.2 times as long as the median. */
    private static final double SPREAD = 0.8;

    private static final String DOCUMENTS_FILE = "documents.jsonl";
    private static final String TOKENIZER_FILE = "tokenizer.json";
    private static final String CONFIG_FILE = "tokenizer_config.json";
    private static final Set<String> FILES = Set.of(DOCUMENTS_FILE, TOKENIZER_FILE, CONFIG_FILE);
    /** Loaded when a file is written, because every command reads the generators' options. */
    private static final class Json {
        static final ObjectMapper MAPPER = new ObjectMapper();
    }

    static final Option<Integer> DOCUMENTS = Option.of(
                    "documents", OptionType.integers(1, 10_000_000), "The number of documents.")
            .orElse(2000);
    static final Option<Integer> LENGTH = Option.of(
                    "length",
                    OptionType.integers(1, 1_000_000),
                    "About half of the documents have fewer characters than this. A document ends with a whole sentence.")
            .orElse(500);
    static final Option<Long> SEED = Option.of(
                    "seed",
                    OptionType.LONG,
                    "The seed of the generator: with the same seed, the documents are the same.")
            .orElse(1L);

    @Override
    public String name() {
        return "text";
    }

    @Override
    public String help() {
        return "Short stories of a small grammar as JSON lines, with a tokenizer whose tokens are bytes.";
    }

    @Override
    public String unit() {
        return "documents";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DOCUMENTS, LENGTH, SEED);
    }

    @Override
    public Generation request(OptionValues values) {
        return described(values, 0);
    }

    @Override
    public boolean owns(Path relative) {
        return FILES.contains(relative.toString());
    }

    /** Writes the data on the calling thread, because a story takes microseconds. */
    @Override
    public Generation draw(OptionValues values, Path folder, int threads, ProgressListener progress)
            throws IOException {
        WholeFiles.write(folder.resolve(TOKENIZER_FILE), ByteTokenizer.json().getBytes(StandardCharsets.UTF_8));
        WholeFiles.write(folder.resolve(CONFIG_FILE), ByteTokenizer.CONFIG.getBytes(StandardCharsets.UTF_8));
        Path documents = folder.resolve(DOCUMENTS_FILE);
        int count = values.get(DOCUMENTS);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(WholeFiles.partial(documents)))) {
            for (int number = 0; number < count; number++) {
                out.write(Json.MAPPER.writeValueAsBytes(Map.of("text", document(values, number))));
                out.write('\n');
                if ((number + 1) % CHUNK == 0 || number + 1 == count) {
                    progress.progressed(number + 1L, count);
                }
            }
        }
        WholeFiles.publish(documents);
        long bytes = 0;
        for (String file : FILES) {
            bytes += Files.size(folder.resolve(file));
        }
        return described(values, bytes);
    }

    private static String document(OptionValues values, int number) {
        GeneratorRandom random = new GeneratorRandom(values.get(SEED), 0, number);
        double length = values.get(LENGTH) * StrictMath.exp(SPREAD * random.normal());
        return Stories.draw(random, (int) Math.max(1, length));
    }

    private static Generation described(OptionValues values, long bytes) {
        int documents = values.get(DOCUMENTS);
        return new Generation(
                "text",
                VERSION,
                Map.of("documents", documents, "length", values.get(LENGTH), "seed", values.get(SEED)),
                Map.of("documents", (long) documents),
                bytes,
                List.of());
    }
}
