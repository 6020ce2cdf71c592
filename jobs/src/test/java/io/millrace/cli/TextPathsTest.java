package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code inspect} and {@code preview} with the paths of text and tokens, good and bad, in place of a pipeline file. */
class TextPathsTest {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors/dataset");
    private static final String LONG = "gr\u00fcn \ud83d\ude00 ".repeat(40);

    @TempDir
    Path folder;

    @BeforeEach
    void files() throws IOException {
        byte[] lines = ("{\"text\": \"" + LONG + "\"}\n{\"text\": \"two\"}\n").getBytes(StandardCharsets.UTF_8);
        byte[] text = (LONG + "\ntwo").getBytes(StandardCharsets.UTF_8);
        write("a.jsonl", lines);
        write("a.jsonl.gz", gzip(lines));
        write("a.jsonl.zst", Zstd.compress(lines));
        write("a.txt", text);
        write("a.txt.gz", gzip(text));
        write("a.txt.zst", Zstd.compress(text));
        write("sp ace/gr\u00fcn \u6587.jsonl", lines);
        byte[] marked = ("\ufeff" + new String(lines, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        write("marked.jsonl", marked);
        Files.createSymbolicLink(folder.resolve("link.jsonl"), Path.of("a.jsonl"));
        write("ids.bin", new byte[64]);
        for (String half : List.of("bin", "idx")) {
            Files.copy(VECTORS.resolve("tokens/megatron-uint16." + half), folder.resolve("web." + half));
        }

        write("empty.jsonl", new byte[0]);
        write("empty.jsonl.gz", new byte[0]);
        write("empty.txt", new byte[0]);
        write("cut.jsonl", Arrays.copyOf(lines, lines.length - 4));
        write("cut.txt", new byte[] {'a', (byte) 0xC3});
        byte[] gzip = gzip(lines);
        write("cut.jsonl.gz", Arrays.copyOf(gzip, gzip.length - 9));
        write("cut.txt.zst", Arrays.copyOf(Zstd.compress(text), 20));
        write("wide.jsonl", "{\"text\": \"a\"}\n".getBytes(StandardCharsets.UTF_16));
        write("wide.txt", "some text".getBytes(StandardCharsets.UTF_16LE));
        Files.createSymbolicLink(folder.resolve("gone.jsonl"), Path.of("nowhere.jsonl"));
        Files.createDirectories(folder.resolve("none"));
        write("strange/notes.md", text);
    }

    private void write(String name, byte[] content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        }
        return bytes.toByteArray();
    }

    private CommandRun run(String command, String name, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of(command, folder.resolve(name).toString()));
        arguments.addAll(List.of(more));
        if (command.equals("preview")) {
            arguments.addAll(List.of("--out", folder.resolve("sheet.png").toString()));
        }
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "a.jsonl, 2",
        "a.jsonl.gz, 2",
        "a.jsonl.zst, 2",
        "marked.jsonl, 2",
        "link.jsonl, 2",
        "sp ace, 2",
        "sp ace/gr\u00fcn \u6587.jsonl, 2",
        "a.txt, 1",
        "a.txt.gz, 1",
        "a.txt.zst, 1",
    })
    void beginningsOfTextsAreShown(String name, int samples) {
        CommandRun inspect = run("inspect", name);
        assertThat(inspect.exitCode()).as(inspect.err()).isZero();
        assertThat(inspect.out())
                .contains("samples      " + samples, "as read      text text [?]")
                .contains("\"" + LONG.substring(0, LONG.offsetByCodePoints(0, 80)) + "\" ...");

        CommandRun preview = run("preview", name);
        assertThat(preview.exitCode()).as(preview.err()).isZero();
        assertThat(preview.out())
                .contains("read              text: text [")
                .contains("\"" + LONG.substring(0, LONG.offsetByCodePoints(0, 200)) + "\" ...");
        assertThat(folder.resolve("sheet.png")).isNotEmptyFile();
    }

    @ParameterizedTest
    @CsvSource({"parquet/plain.parquet", "arrow/file.arrow"})
    void textsOfTablesAreShown(String vector) {
        Path table = VECTORS.resolve(vector);
        for (String command : new String[] {"inspect", "preview"}) {
            List<String> arguments =
                    new ArrayList<>(List.of(command, table.toString(), "--set", "dataset.fields=[name]"));
            if (command.equals("preview")) {
                arguments.addAll(List.of("--out", folder.resolve("sheet.png").toString()));
            }
            CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).containsPattern("name(: | )text \\[").doesNotContain("name uint8");
        }
    }

    @Test
    void jsonStatesKindElementTypeAndTheBeginningOfATextInTheSameWay() {
        JsonNode json = run("inspect", "a.jsonl", "--json").json();
        assertThat(json.at("/fields/read/0").toString())
                .isEqualTo("{\"name\":\"text\",\"kind\":\"text\",\"dtype\":\"uint8\",\"shape\":[null]}");
        assertThat(json.at("/first/1/text").asText()).isEqualTo("\"two\"");
    }

    @ParameterizedTest
    @CsvSource({"ids.bin, tokens, 'tokens: int32 [8] 0 0'", "web, megatron, 'tokens: int32 ['"})
    void dataWhoseNameStatesNoFormatAreReadWithASetting(String name, String format, String shown) {
        String[] settings = format.equals("tokens")
                ? new String[] {
                    "--set", "dataset.format=tokens", "--set", "dataset.dtype=uint16", "--set", "dataset.length=8"
                }
                : new String[] {"--set", "dataset.format=megatron"};
        for (String command : new String[] {"inspect", "preview"}) {
            CommandRun run = run(command, name, settings);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains(command.equals("preview") ? shown : "as read      tokens int32 [?]");
            run(command, name)
                    .fails(
                            2,
                            "its name states no format of data; for data, set their format: --set dataset.format=tokens");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "empty.jsonl    | no samples in ",
                "empty.jsonl.gz | is no whole gzip file: found the end of the file",
                "empty.txt      | expected a document, found an empty file",
                "cut.txt        | expected text in UTF-8, found the byte 0xC3",
                "cut.jsonl.gz   | is no whole gzip file: after ",
                "cut.txt.zst    | is no whole Zstandard file: ",
                "wide.jsonl     | expected text in UTF-8, found UTF-16, by the first two bytes",
                "wide.txt       | expected text in UTF-8, found UTF-16, by the zeros in the first four bytes",
                "gone.jsonl     | gone.jsonl is a link to nowhere.jsonl, where no file is",
                "missing.jsonl  | no such file: ",
                "none           | is empty; expected ",
                "strange        | strange holds no folders; expected ",
            })
    void badDataAreRefusedInASentence(String name, String sentence) {
        for (String command : new String[] {"inspect", "preview"}) {
            CommandRun run = run(command, name);
            assertThat(run.exitCode()).as(command + " " + name).isEqualTo(1);
            assertThat(run.out() + run.err()).contains(sentence).doesNotContain("Exception", "\tat ");
        }
    }

    @Test
    void goodSamplesAreShownBesideBadOnes() {
        for (String command : new String[] {"inspect", "preview"}) {
            CommandRun run = run(command, "cut.jsonl");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("gr\u00fcn", "cut.jsonl:2", "JSON");
        }
    }
}
