package io.millrace.pipeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A text of which not all documents are counted before a run, two of them bad. */
final class LargeText {
    /** More documents than are counted before the first batch. */
    static final int DOCUMENTS = 70_000;

    private LargeText() {}

    /** Writes the text into a folder and returns its file. */
    static Path write(Path folder) throws IOException {
        Random random = new Random(2);
        List<String> lines = new ArrayList<>();
        for (int document = 0; document < DOCUMENTS; document++) {
            String text = "word ".repeat(1 + random.nextInt(document % 50 == 0 ? 100 : 8));
            lines.add("{\"text\": \"" + document + " " + text + "\"}");
        }
        lines.set(17, "{\"text\": 5}");
        lines.set(DOCUMENTS - 1, "{\"text\": \"cut off");
        return Files.write(folder.resolve("texts.jsonl"), lines);
    }

    /** Returns the names of the files that a count leaves beside the text, with an X in place of its key. */
    static List<String> countFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(".millrace"))) {
            return files.map(file -> file.getFileName().toString().replaceAll("[0-9a-f]{16}", "X"))
                    .sorted()
                    .toList();
        }
    }
}
