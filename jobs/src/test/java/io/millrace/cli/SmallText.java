package io.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The pipeline conf/text.yaml, with fewer documents in a folder of the test. */
public final class SmallText {
    private SmallText() {}

    /**
     * Writes the pipeline file, whose documents are generated at the first use.
     *
     * @param runs the name of the folder of the runs
     * @param more further lines of the file
     */
    public static Path pipeline(Path folder, String runs, String more) throws IOException {
        String shipped = Files.readString(Path.of("..", "conf", "text.yaml"));
        String own = shipped.replace("data/text", folder.resolve("text").toString())
                .replace("generate: text", "generate: { text: { documents: 500, length: 300 } }");
        return Files.writeString(
                folder.resolve(runs + ".yaml"),
                own + "run: { folder: %s, web_port: 0 }\n%s\n".formatted(folder.resolve(runs), more));
    }

    /** Returns the file of the documents. */
    public static Path documents(Path folder) {
        return folder.resolve("text").resolve("documents.jsonl");
    }
}
