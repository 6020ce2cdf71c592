package io.millrace.report;

import io.millrace.sample.VisibleText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.util.stream.Stream;

/**
 * The place where text leaves a program: standard output and standard error, which escape what a terminal would obey. Only code that
 * moves the cursor or sets colours itself writes to {@link #rawOut} and {@link #rawErr}, and it escapes the text of others by itself.
 *
 * <p>Any thread may use the streams.
 */
public final class TerminalOutput {
    private static final PrintStream RAW_OUT = System.out;
    private static final PrintStream RAW_ERR = System.err;

    /** Volatile: any thread may write. */
    private static volatile boolean installed;

    private TerminalOutput() {}

    /** Replaces standard output and standard error of this process. Call it first in {@code main}, before anything keeps them. */
    public static void install() {
        installed = true;
        System.setOut(escaping(RAW_OUT, charset("stdout")));
        System.setErr(escaping(RAW_ERR, charset("stderr")));
    }

    /** Returns a writer to standard output without escapes. */
    public static PrintWriter rawOut() {
        return new PrintWriter(installed ? RAW_OUT : System.out, true, charset("stdout"));
    }

    /** Returns standard error without escapes. */
    public static PrintStream rawErr() {
        return installed ? RAW_ERR : System.err;
    }

    /** Returns a stream that escapes what a terminal would obey, and writes the result to another stream. */
    public static PrintStream escaping(OutputStream raw, Charset charset) {
        return new PrintStream(new Escaping(raw, charset), true, charset);
    }

    /** Returns the character set that Java uses for a stream. The names of the properties differ between versions of Java. */
    private static Charset charset(String stream) {
        return Stream.of(stream + ".encoding", "sun." + stream + ".encoding")
                .map(System::getProperty)
                .filter(name -> name != null && Charset.isSupported(name))
                .findFirst()
                .map(Charset::forName)
                .orElseGet(Charset::defaultCharset);
    }

    /** The bytes of text, which may be written in pieces that end within a character. */
    private static final class Escaping extends OutputStream {
        private final OutputStream raw;
        private final Charset charset;
        private final CharsetDecoder decoder;

        /** The bytes that are not decoded yet; between two calls, those of an incomplete character. */
        private final ByteBuffer bytes = ByteBuffer.allocate(1 << 12);

        private final CharBuffer chars = CharBuffer.allocate(1 << 12);

        Escaping(OutputStream raw, Charset charset) {
            this.raw = raw;
            this.charset = charset;
            this.decoder = charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
        }

        @Override
        public synchronized void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] from, int offset, int length) throws IOException {
            int at = offset;
            int end = offset + length;
            while (at < end) {
                int count = Math.min(end - at, bytes.remaining());
                bytes.put(from, at, count).flip();
                at += count;
                decoder.decode(bytes, chars, false);
                bytes.compact();
                raw.write(VisibleText.of(chars.flip()).getBytes(charset));
                chars.clear();
            }
        }

        @Override
        public void flush() throws IOException {
            raw.flush();
        }
    }
}
