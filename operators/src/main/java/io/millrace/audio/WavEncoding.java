package io.millrace.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The stored form of one value in a WAV file. */
enum WavEncoding {
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
            int value = file.order() == ByteOrder.LITTLE_ENDIAN
                    ? (file.get(at + 2) << 16) | (file.getShort(at) & 0xffff)
                    : (file.get(at) << 16) | (file.getShort(at + 1) & 0xffff);
            return value / 0x1p23f;
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
    },
    /** A-law of ITU-T G.711: a sign, an exponent of 3 bits and 4 bits of the magnitude, with every second bit inverted. */
    A_LAW(1) {
        @Override
        float value(ByteBuffer file, int at) {
            int bits = file.get(at) ^ 0x55;
            int exponent = (bits >> 4) & 7;
            int magnitude = ((bits & 15) << 4) + 8;
            magnitude = exponent == 0 ? magnitude : (magnitude + 0x100) << (exponent - 1);
            return ((bits & 0x80) == 0 ? -magnitude : magnitude) / 0x1p15f;
        }
    },
    /** Mu-law of ITU-T G.711: a sign, an exponent of 3 bits and 4 bits of the magnitude, with all bits inverted. */
    MU_LAW(1) {
        @Override
        float value(ByteBuffer file, int at) {
            int bits = ~file.get(at);
            int magnitude = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
            return ((bits & 0x80) == 0 ? magnitude : -magnitude) / 0x1p15f;
        }
    };

    private static final int PCM = 1;
    private static final int FLOAT = 3;
    private static final int A_LAW_FORMAT = 6;
    private static final int MU_LAW_FORMAT = 7;

    private final int bytes;

    WavEncoding(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the number of bytes of a value. */
    int bytes() {
        return bytes;
    }

    /** Returns the value at an offset as a float; whole numbers are divided by their largest magnitude. */
    abstract float value(ByteBuffer file, int at);

    /**
     * Returns the encoding of a format.
     *
     * @param format the number of the format in the file
     * @param bits the number of bits of a value, which fills whole bytes
     * @param offset the offset of the format, for messages
     * @throws MalformedAudioException when the encoding is not supported
     */
    static WavEncoding of(int format, int bits, int offset) throws MalformedAudioException {
        if (format == PCM && bits >= 1 && bits <= 32) {
            return switch ((bits + 7) / 8) {
                case 1 -> UINT8;
                case 2 -> INT16;
                case 3 -> INT24;
                default -> INT32;
            };
        }
        if (format == FLOAT && (bits == 32 || bits == 64)) {
            return bits == 32 ? FLOAT32 : FLOAT64;
        }
        if ((format == A_LAW_FORMAT || format == MU_LAW_FORMAT) && bits == 8) {
            return format == A_LAW_FORMAT ? A_LAW : MU_LAW;
        }
        throw new MalformedAudioException(
                offset,
                "expected PCM of 1 to 32 bits, floats of 32 or 64 bits, A-law or mu-law in a WAV file, found "
                        + name(format) + " of " + bits + " bits");
    }

    private static String name(int format) {
        return switch (format) {
            case PCM -> "PCM";
            case FLOAT -> "floats";
            case A_LAW_FORMAT -> "A-law";
            case MU_LAW_FORMAT -> "mu-law";
            case 2 -> "MS ADPCM";
            case 0x11 -> "IMA ADPCM";
            case 0x31 -> "GSM 6.10";
            case 0x40 -> "G.721";
            case 0x50 -> "MPEG audio";
            case 0x55 -> "MP3";
            case 0xff -> "AAC";
            default -> "format " + format;
        };
    }
}
