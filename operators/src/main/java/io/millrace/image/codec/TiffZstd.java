package io.millrace.image.codec;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The codec of Zstandard. */
final class TiffZstd implements TiffCodec {
    private @Nullable ZstdInputStreamNoFinalizer stream;
    private int to;

    @Override
    public void begin(byte[] data, int from, int end, int rows) throws MalformedImageException {
        close();
        to = end;
        try {
            stream = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(data, from, end - from));
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    @Override
    public void read(byte[] row, int count) throws MalformedImageException {
        try {
            if (stream == null || stream.readNBytes(row, 0, count) < count) {
                throw TiffCodec.tooShort(to);
            }
        } catch (MalformedImageException e) {
            throw e;
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    private MalformedImageException damaged(IOException e) {
        MalformedImageException malformed = new MalformedImageException(
                to, "corrupt TIFF: expected data compressed with Zstandard, but it is damaged: " + e.getMessage());
        malformed.initCause(e);
        return malformed;
    }

    @Override
    public void close() {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("an array cannot fail to close", e);
        }
        stream = null;
    }
}
