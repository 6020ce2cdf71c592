package io.millrace.text;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.text.ByteLevelVocabulary.OtherEngineException;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the lengths of the pretokens of documents, for {@code operators/src/test/python/tokenizer_differences.py}, and prints the speed.
 * The arguments are those of {@link DocumentIds}, and the results have its format; of a tokenizer only its {@code pre_tokenizer} matters.
 */
final class DocumentPretokens {
    private DocumentPretokens() {}

    public static void main(String[] arguments) throws IOException, OtherEngineException {
        byte[] documents = Files.readAllBytes(Path.of(arguments[0]));
        for (int i = 2; i < arguments.length; i++) {
            Path tokenizer = Path.of(arguments[i]);
            Pretokens pretokens = PretokenPatterns.of(
                    new ObjectMapper().readTree(tokenizer.toFile()).path("pre_tokenizer"));
            Path out = Path.of(arguments[1], tokenizer.getFileName() + ".pretokens");
            long start = System.nanoTime();
            try (DataOutputStream to = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(out)))) {
                write(pretokens, documents, to);
            }
            System.out.printf("%s: %.0f MB/s%n", tokenizer, documents.length * 1e3 / (System.nanoTime() - start));
        }
    }

    private static void write(Pretokens pretokens, byte[] documents, DataOutputStream out) throws IOException {
        TokenIds lengths = new TokenIds();
        for (ByteBuffer in = ByteBuffer.wrap(documents); in.hasRemaining(); ) {
            int length = in.getInt();
            int at = in.position();
            int to = at + length;
            lengths.clear();
            while (at < to) {
                int end = pretokens.end(documents, at, to);
                lengths.add(end - at);
                at = end;
            }
            in.position(to);
            DocumentIds.write(lengths, out);
        }
    }
}
