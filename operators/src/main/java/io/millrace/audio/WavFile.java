package io.millrace.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A WAV file (RIFF, "Multimedia Programming Interface and Data Specifications 1.0", and Microsoft's
 * WAVEFORMATEXTENSIBLE), also one with big-endian numbers (RIFX) or with sizes of 64 bits (RF64, BW64). The encodings are
 * those of {@link WavEncoding}.
 *
 * <p>Whole numbers become floats from -1 to just below 1: they are divided by their largest magnitude, which is 2^15
 * for 16 bits. Values of 8 bits are unsigned, so 128 is subtracted from them first. torchaudio and libsndfile return
 * the same values.
 *
 * <p>A program that writes to a pipe does not know the size of its data, and states 0 or about 2^31 or 2^32. Such data
 * reaches to the end of the file.
 */
public final class WavFile {
    private static final int EXTENSIBLE = 0xfffe;
    private static final int RIFF_BYTES = 12;
    private static final int CHUNK_HEADER_BYTES = 8;
    private static final int FORMAT_BYTES = 16;
    private static final int SUBFORMAT_OFFSET = 24;
    private static final int EXTENSIBLE_BYTES = 40;
    private static final int MOST_CHANNELS = 1024;
    private static final int DATA_SIZE_OFFSET = 8;
    private static final int DATA_SIZES_BYTES = 24;

    /** The smallest size that stands for an unknown one. sox states 2^31 - 4096, in whole frames. */
    private static final long UNKNOWN_SIZE = 0x7fff0000L;

    /** The end of the identifiers of Microsoft's subformats, and of those of Ambisonic B-format. */
    private static final long MICROSOFT = 0x800000aa00389b71L;

    private static final long AMBISONIC = 0x8644c8c1ca000000L;

    private final byte[] file;
    private final ByteOrder order;
    private final WavEncoding encoding;
    private final int channels;
    private final int sampleRate;
    private final int dataOffset;
    private final int frames;

    private WavFile(
            byte[] file,
            ByteOrder order,
            WavEncoding encoding,
            int channels,
            int sampleRate,
            int dataOffset,
            int frames) {
        this.file = file;
        this.order = order;
        this.encoding = encoding;
        this.channels = channels;
        this.sampleRate = sampleRate;
        this.dataOffset = dataOffset;
        this.frames = frames;
    }

    /** Returns whether the bytes begin with the signature of a WAV file. */
    public static boolean matches(byte[] file) {
        if (file.length < RIFF_BYTES || !text(file, 8).equals("WAVE")) {
            return false;
        }
        return switch (text(file, 0)) {
            case "RIFF", "RIFX", "RF64", "BW64" -> true;
            default -> false;
        };
    }

    /**
     * Reads the headers. The result keeps the array and does not copy it.
     *
     * @throws MalformedAudioException when the bytes are not a WAV file, when they are truncated, or when the encoding
     *     is not supported
     */
    public static WavFile parse(byte[] file) throws MalformedAudioException {
        if (!matches(file)) {
            throw new MalformedAudioException(
                    0,
                    "expected a WAV file, which begins with RIFF, RIFX, RF64 or BW64, a length and WAVE; found "
                            + file.length + " bytes with a different beginning");
        }
        ByteOrder order = text(file, 0).equals("RIFX") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ByteBuffer bytes = ByteBuffer.wrap(file).order(order);
        boolean large = text(file, 2).startsWith("64");
        int format = -1;
        long dataSize = -1;
        for (long at = RIFF_BYTES; ; ) {
            if (at + CHUNK_HEADER_BYTES > file.length) {
                throw new MalformedAudioException(
                        file.length,
                        "truncated WAV: expected a chunk '" + (format < 0 ? "fmt " : "data") + "' at offset " + at
                                + ", found the end of the file at " + file.length);
            }
            String chunk = text(file, (int) at);
            int content = (int) at + CHUNK_HEADER_BYTES;
            long length = bytes.getInt((int) at + 4) & 0xffffffffL;
            boolean data = chunk.equals("data");
            if (data && large && length == 0xffffffffL) {
                length = dataSize < 0 ? length : dataSize;
            }
            if (data && isUnknown(length, bytes, content)) {
                length = -1;
            }
            if (length > file.length - content) {
                throw new MalformedAudioException(
                        at,
                        "truncated WAV: expected " + length + " bytes of chunk '" + chunk + "' at offset " + content
                                + ", found the end of the file at " + file.length);
            }
            switch (chunk) {
                case "fmt " -> {
                    requireBytes(chunk, at, length, FORMAT_BYTES);
                    if (format >= 0) {
                        throw new MalformedAudioException(
                                at, "corrupt WAV: expected one chunk 'fmt ', found a second one");
                    }
                    format = content;
                }
                case "ds64" -> {
                    requireBytes(chunk, at, length, DATA_SIZES_BYTES);
                    // A negative size is one of more than 2^63 bytes, which stands for an unknown one.
                    dataSize = bytes.getLong(content + DATA_SIZE_OFFSET) & Long.MAX_VALUE;
                }
                case "data" -> {
                    if (format < 0) {
                        throw new MalformedAudioException(
                                at, "corrupt WAV: expected a chunk 'fmt ' before 'data', found none");
                    }
                    return of(file, bytes, format, content, length);
                }
                default -> {}
            }
            // Chunks begin at even offsets.
            at = content + length + (length & 1);
        }
    }

    /**
     * Returns whether the size of the data was unknown when it was written: it is about 2^31 or more, or it is 0 although
     * bytes follow that lie outside of the size of the whole file as stated at its beginning, if that is stated at all.
     */
    private static boolean isUnknown(long length, ByteBuffer bytes, int content) {
        long whole = bytes.getInt(4) & 0xffffffffL;
        return length >= UNKNOWN_SIZE
                || (length == 0
                        && content < bytes.limit()
                        && (whole + CHUNK_HEADER_BYTES <= content || whole >= UNKNOWN_SIZE));
    }

    private static void requireBytes(String chunk, long at, long length, int least) throws MalformedAudioException {
        if (length < least) {
            throw new MalformedAudioException(
                    at, "corrupt WAV: expected at least " + least + " bytes of chunk '" + chunk + "', found " + length);
        }
    }

    /** Creates the file; a {@code length} of -1 is unknown. A part of a frame at the end of the data is ignored, as in libsndfile. */
    private static WavFile of(byte[] file, ByteBuffer bytes, int format, int data, long length)
            throws MalformedAudioException {
        int tag = bytes.getShort(format) & 0xffff;
        int channels = bytes.getShort(format + 2) & 0xffff;
        int rate = bytes.getInt(format + 4);
        int frameBytes = bytes.getShort(format + 12) & 0xffff;
        int bits = bytes.getShort(format + 14) & 0xffff;
        if (tag == EXTENSIBLE && bytes.getInt(format - 4) >= EXTENSIBLE_BYTES) {
            tag = subformat(bytes, format + SUBFORMAT_OFFSET);
        }
        WavEncoding encoding = WavEncoding.of(tag, bits, format);
        if (channels < 1 || channels > MOST_CHANNELS || frameBytes != channels * encoding.bytes() || rate < 1) {
            throw new MalformedAudioException(
                    format,
                    "corrupt WAV: expected 1 to " + MOST_CHANNELS + " channels of " + bits + " bits at a rate of 1 or"
                            + " more, found " + channels + " channels in frames of " + frameBytes + " bytes at "
                            + Integer.toUnsignedString(rate) + " Hz");
        }
        int found = length < 0 ? bytes.limit() - data : (int) length;
        int frames = found / frameBytes;
        if ((long) frames * channels > Integer.MAX_VALUE / Float.BYTES) {
            throw new MalformedAudioException(
                    data,
                    "expected sound of at most " + Integer.MAX_VALUE / Float.BYTES + " values, found "
                            + (long) frames * channels);
        }
        return new WavFile(file, bytes.order(), encoding, channels, rate, data, frames);
    }

    /** Returns the format in an identifier of 16 bytes, whose first 8 bytes have the byte order of the file. */
    private static int subformat(ByteBuffer bytes, int at) throws MalformedAudioException {
        int format = bytes.getInt(at);
        int middle = bytes.getShort(at + 4) << 16 | (bytes.getShort(at + 6) & 0xffff);
        long end = bytes.duplicate().order(ByteOrder.BIG_ENDIAN).getLong(at + 8);
        boolean known = (middle == 0x10 && end == MICROSOFT) || (middle == 0x072111d3 && end == AMBISONIC);
        if (!known || format < 0 || format > 0xffff) {
            throw new MalformedAudioException(
                    at,
                    "expected a subformat of Microsoft or of Ambisonic B-format in a WAV file, found an unknown one");
        }
        return format;
    }

    private static String text(byte[] file, int at) {
        return new String(file, at, 4, StandardCharsets.ISO_8859_1);
    }

    public int channels() {
        return channels;
    }

    /** Returns the number of values in a channel. */
    public int frames() {
        return frames;
    }

    /** Returns the number of frames per second. */
    public int sampleRate() {
        return sampleRate;
    }

    /** Returns all values as little-endian float32, channel after channel: [channels, frames]. */
    public byte[] byChannel() {
        return values(1, frames);
    }

    /** Returns all values as little-endian float32, frame after frame: [frames, channels]. */
    public byte[] byFrame() {
        return values(channels, 1);
    }

    /** Returns all values, with value c of frame f at index {@code f * frameStep + c * channelStep}. */
    private byte[] values(int frameStep, int channelStep) {
        ByteBuffer from = ByteBuffer.wrap(file).order(order);
        ByteBuffer to = ByteBuffer.allocate(Math.multiplyExact(frames, channels * Float.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        int at = dataOffset;
        for (int frame = 0; frame < frames; frame++) {
            for (int channel = 0; channel < channels; channel++, at += encoding.bytes()) {
                to.putFloat((frame * frameStep + channel * channelStep) * Float.BYTES, encoding.value(from, at));
            }
        }
        return to.array();
    }
}
