package io.millrace.text;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the ids that tokenizers make of documents, for {@code operators/src/test/python/tokenizer_differences.py}, and prints the speed.
 * The arguments are the file of the documents, the folder of the results, and the tokenizers. A document is its length in bytes (a
 * big-endian int) and its bytes; a result is the number of ids and the ids.
 */
final class DocumentIds {
    private DocumentIds() {}

    public static void main(String[] arguments) throws IOException {
        byte[] documents = Files.readAllBytes(Path.of(arguments[0]));
        for (int i = 2; i < arguments.length; i++) {
            Path out = Path.of(arguments[1], Path.of(arguments[i]).getFileName() + ".ids");
            Files.deleteIfExists(out);
            try (ChosenTokenizer chosen = Tokenizers.open(arguments[i])) {
                System.out.println(chosen.describe());
                write(chosen.tokenizer(), documents, out);
            } catch (TokenizerException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private static void write(Tokenizer tokenizer, byte[] documents, Path out) throws IOException {
        TokenIds ids = new TokenIds();
        long nanos = 0;
        try (DataOutputStream to = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(out)))) {
            for (ByteBuffer in = ByteBuffer.wrap(documents); in.hasRemaining(); ) {
                int length = in.getInt();
                int from = in.position();
                ids.clear();
                long start = System.nanoTime();
                tokenizer.encode(documents, from, from + length, ids);
                nanos += System.nanoTime() - start;
                in.position(from + length);
                write(ids, to);
            }
        }
        System.out.printf("  %.1f MB/s%n", documents.length * 1e3 / nanos);
    }

    /** Writes the numbers of one document. */
    static void write(TokenIds numbers, DataOutputStream to) throws IOException {
        to.writeInt(numbers.size());
        for (int i = 0; i < numbers.size(); i++) {
            to.writeInt(numbers.get(i));
        }
    }
}
