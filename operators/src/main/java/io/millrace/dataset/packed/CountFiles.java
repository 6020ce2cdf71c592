package io.millrace.dataset.packed;

import io.millrace.lifecycle.Handles;
import io.millrace.sequence.LengthsWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** The files that the threads of a process write while they count the documents of a dataset. */
record CountFiles(LengthsWriter lengths, WindowClaims claims) implements Closeable {
    static CountFiles open(CountSpec spec) throws IOException {
        Path file = Path.of(spec.counts().file());
        LengthsWriter lengths = LengthsWriter.share(
                file, HexFormat.of().parseHex(spec.counts().key()), spec.order().size());
        try {
            return new CountFiles(lengths, WindowClaims.open(file, WindowClaims.number(spec.order(), spec.window())));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, lengths);
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        Handles.closeAll(List.of(lengths, claims));
    }
}
