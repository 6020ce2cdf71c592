package io.millrace.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A WAV file (RIFF, "Multimedia Programming Interface and Data Specifications 1.0", and Microsoft's
 * WAVEFORMATEXTENSIBLE) with PCM of 8, 16, 24 or 32 bits, or IEEE floats of 32 or 64 bits.
 *
 * <p>Whole numbers become floats from -1 to just below 1: they are divided by their largest magnitude, which is 2^15
 * for 16 bits. Values of 8 bits are unsigned, so 128 is subtracted from them first. torchaudio and libsndfile return
 * the same values.
 */
public final class WavFile {
    private static final int PCM = 1;
    private static final int FLOAT = 3;
    private static final int EXTENSIBLE = 0xfffe;
    private static final int RIFF_BYTES = 12;
    private static final int CHUNK_HEADER_BYTES = 8;
    private static final int FORMAT_BYTES = 16;
    private static final int SUBFORMAT_OFFSET = 24;
    private static final int MOST_CHANNELS = 1024;

    private final byte[] file;
    private final Encoding encoding;
    private final int channels;
    private final int sampleRate;
    private final int dataOffset;
    private final int frames;

    /** The stored form of one value. */
    private enum Encoding {
        UINT8(1) {
            @Override
            float value(ByteBuffer file, int at) {
                return ((file.get(at) & 0xff) - 128) / 0x1p7f;
            }
        },
        INT16(2) {
            @Override
            float value(ByteBuffer file, int at) {
                return file.getShort(at) / 0x1p15f;
            }
        },
        INT24(3) {
            @Override
            float value(ByteBuffer file, int at) {
                return ((file.get(at + 2) << 16) | (file.getShort(at) & 0xffff)) / 0x1p23f;
            }
        },
        INT32(4) {
            @Override
            float value(ByteBuffer file, int at) {
                return file.getInt(at) / 0x1p31f;
            }
        },
        FLOAT32(4) {
            @Override
            float value(ByteBuffer file, int at) {
                return file.getFloat(at);
            }
        },
        FLOAT64(8) {
            @Override
            float value(ByteBuffer file, int at) {
                return (float) file.getDouble(at);
            }
        };

        private final int bytes;

        Encoding(int bytes) {
            this.bytes = bytes;
        }

        abstract float value(ByteBuffer file, int at);
    }

    private WavFile(byte[] file, Encoding encoding, int channels, int sampleRate, int dataOffset, int frames) {
        this.file = file;
        this.encoding = encoding;
        this.channels = channels;
        this.sampleRate = sampleRate;
        this.dataOffset = dataOffset;
        this.frames = frames;
    }

    /** Returns whether the bytes begin with the signature of a WAV file. */
    public static boolean matches(byte[] file) {
        return file.length >= RIFF_BYTES
                && text(file, 0).equals("RIFF")
                && text(file, 8).equals("WAVE");
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
                    "expected a WAV file, which begins with RIFF, a length and WAVE; found " + file.length
                            + " bytes with a different beginning");
        }
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int format = -1;
        for (long at = RIFF_BYTES; ; ) {
            if (at + CHUNK_HEADER_BYTES > file.length) {
                throw new MalformedAudioException(
                        file.length,
                        "truncated WAV: expected a chunk '" + (format < 0 ? "fmt " : "data") + "' at offset " + at
                                + ", found the end of the file at " + file.length);
            }
            String chunk = text(file, (int) at);
            long length = bytes.getInt((int) at + 4) & 0xffffffffL;
            int content = (int) at + CHUNK_HEADER_BYTES;
            if (length > file.length - content) {
                throw new MalformedAudioException(
                        at,
                        "truncated WAV: expected " + length + " bytes of chunk '" + chunk + "' at offset " + content
                                + ", found the end of the file at " + file.length);
            }
            if (chunk.equals("fmt ")) {
                requireFormat(at, length);
                format = content;
            } else if (chunk.equals("data")) {
                if (format < 0) {
                    throw new MalformedAudioException(at, "corrupt WAV: expected a chunk 'fmt ' before 'data'");
                }
                return of(file, bytes, format, content, (int) length);
            }
            // Chunks begin at even offsets.
            at = content + length + (length & 1);
        }
    }

    private static void requireFormat(long at, long length) throws MalformedAudioException {
        if (length < FORMAT_BYTES) {
            throw new MalformedAudioException(
                    at, "corrupt WAV: expected at least 16 bytes of chunk 'fmt ', found " + length);
        }
    }

    private static WavFile of(byte[] file, ByteBuffer bytes, int format, int data, int length)
            throws MalformedAudioException {
        int tag = bytes.getShort(format) & 0xffff;
        int channels = bytes.getShort(format + 2) & 0xffff;
        int rate = bytes.getInt(format + 4);
        int frameBytes = bytes.getShort(format + 12) & 0xffff;
        int bits = bytes.getShort(format + 14) & 0xffff;
        if (tag == EXTENSIBLE && bytes.getInt(format - 4) >= SUBFORMAT_OFFSET + Short.BYTES) {
            tag = bytes.getShort(format + SUBFORMAT_OFFSET) & 0xffff;
        }
        Encoding encoding = encoding(tag, bits, format);
        if (channels < 1 || channels > MOST_CHANNELS || frameBytes != channels * encoding.bytes || rate < 1) {
            throw new MalformedAudioException(
                    format,
                    "corrupt WAV: expected 1 to " + MOST_CHANNELS + " channels of " + bits + " bits at a rate of 1 or"
                            + " more, found " + channels + " channels in frames of " + frameBytes + " bytes at "
                            + Integer.toUnsignedString(rate) + " Hz");
        }
        if (length % frameBytes != 0) {
            throw new MalformedAudioException(
                    data + (long) length - length % frameBytes,
                    "corrupt WAV: expected whole frames of " + frameBytes + " bytes, found " + length
                            + " bytes of data");
        }
        return new WavFile(file, encoding, channels, rate, data, length / frameBytes);
    }

    private static Encoding encoding(int tag, int bits, int format) throws MalformedAudioException {
        if (tag == PCM) {
            switch (bits) {
                case 8 -> {
                    return Encoding.UINT8;
                }
                case 16 -> {
                    return Encoding.INT16;
                }
                case 24 -> {
                    return Encoding.INT24;
                }
                case 32 -> {
                    return Encoding.INT32;
                }
                default -> {}
            }
        }
        if (tag == FLOAT && (bits == 32 || bits == 64)) {
            return bits == 32 ? Encoding.FLOAT32 : Encoding.FLOAT64;
        }
        throw new MalformedAudioException(
                format,
                "expected PCM of 8, 16, 24 or 32 bits or floats of 32 or 64 bits in a WAV file, found format " + tag
                        + " of " + bits + " bits");
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
        ByteBuffer from = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer to = ByteBuffer.allocate(Math.multiplyExact(frames, channels * Float.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        int at = dataOffset;
        for (int frame = 0; frame < frames; frame++) {
            for (int channel = 0; channel < channels; channel++, at += encoding.bytes) {
                to.putFloat((frame * frameStep + channel * channelStep) * Float.BYTES, encoding.value(from, at));
            }
        }
        return to.array();
    }
}
