package io.millrace.dataset.csv;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.GzipMembers;
import io.millrace.dataset.storage.Storage;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The opening of a file of values: plain or gzipped text in UTF-8, with any separator. */
public final class CsvText {
    /** The largest number of characters of a header. */
    private static final int MOST_HEADER = 1 << 20;

    private CsvText() {}

    /** Returns whether a file is gzipped, by its name. */
    public static boolean isGzip(String path) {
        return path.toLowerCase(Locale.ROOT).endsWith(".gz");
    }

    /**
     * Opens a file. The caller closes it.
     *
     * @throws java.nio.charset.CharacterCodingException from the reader, when the file is not UTF-8
     */
    public static BufferedReader open(Storage storage, String path) throws IOException {
        InputStream in = storage.open(path);
        try {
            InputStream plain = isGzip(storage.display(path)) ? GzipMembers.of(new BufferedInputStream(in)) : in;
            return new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8.newDecoder()), MOST_HEADER);
        } catch (IOException e) {
            in.close();
            throw new DatasetException(storage.display(path) + ": " + e.getMessage(), e);
        }
    }

    /** Returns the separator of a file, and leaves the reader at its beginning. */
    public static char separator(BufferedReader text) throws IOException {
        text.mark(MOST_HEADER);
        String line = firstLine(text);
        text.reset();
        return CsvHeader.separator(line);
    }

    private static String firstLine(Reader text) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = text.read();
                next >= 0 && next != '\n' && next != '\r' && line.length() < MOST_HEADER - 1;
                next = text.read()) {
            line.append((char) next);
        }
        return line.toString();
    }
}
