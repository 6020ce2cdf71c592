package io.millrace.text;

import io.millrace.dataset.tfrecord.WireReader;
import io.millrace.dataset.tfrecord.WireReader.MalformedWireException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A model file of SentencePiece, as far as its conversion needs it. The numbers of fields are those of {@code
 * sentencepiece_model.proto}.
 *
 * @param pieces the pieces; an id is a place in this list
 * @param algorithm the name of the model's algorithm
 * @param byteFallback whether bytes replace characters that no piece has
 * @param whitespaceAsSuffix whether the mark of a space ends a word instead of beginning it
 * @param normalized whether the model changes characters, for example to NFKC
 * @param dummyPrefix whether a space precedes each text
 * @param whitespaceRemoved whether the model removes spaces at both ends of a text and shortens runs of spaces
 * @param whitespaceEscaped whether {@code ▁} stands for a space
 */
record SentencePieceModel(
        List<Piece> pieces,
        Algorithm algorithm,
        boolean byteFallback,
        boolean whitespaceAsSuffix,
        boolean normalized,
        boolean dummyPrefix,
        boolean whitespaceRemoved,
        boolean whitespaceEscaped) {

    /** The algorithms, in the order of their numbers, which begin at 1. */
    enum Algorithm {
        UNIGRAM,
        BPE,
        WORD,
        CHAR
    }

    /** The kinds of pieces, in the order of their numbers, which begin at 1. */
    enum Kind {
        NORMAL,
        UNKNOWN,
        CONTROL,
        USER_DEFINED,
        UNUSED,
        BYTE
    }

    /**
     * A piece of the vocabulary.
     *
     * @param text the piece; {@code ▁} stands for a space
     * @param score the larger, the earlier BPE merges it
     */
    record Piece(String text, float score, Kind kind) {}

    /**
     * Reads a model.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when the file is damaged or is no model of SentencePiece
     */
    static SentencePieceModel read(String source, byte[] bytes) throws TokenizerException {
        Fields fields = new Fields();
        try {
            fields.model(new WireReader(bytes, 0, bytes.length));
        } catch (MalformedWireException e) {
            throw new TokenizerException(
                    source + " is no model of SentencePiece, or is damaged: byte " + e.offset() + ": " + e.getMessage(),
                    e);
        }
        if (fields.pieces.isEmpty()) {
            throw new TokenizerException(source + " is no model of SentencePiece: expected pieces, found none in "
                    + bytes.length + " bytes");
        }
        return new SentencePieceModel(
                List.copyOf(fields.pieces),
                fields.algorithm,
                fields.byteFallback,
                fields.whitespaceAsSuffix,
                fields.normalized,
                fields.dummyPrefix,
                fields.whitespaceRemoved,
                fields.whitespaceEscaped);
    }

    /** The fields while they are read. Their values before are the defaults of the format. */
    private static final class Fields {
        private final List<Piece> pieces = new ArrayList<>();
        private Algorithm algorithm = Algorithm.UNIGRAM;
        private boolean byteFallback;
        private boolean whitespaceAsSuffix;
        private boolean normalized;
        private boolean dummyPrefix = true;
        private boolean whitespaceRemoved = true;
        private boolean whitespaceEscaped = true;

        void model(WireReader reader) throws MalformedWireException {
            while (reader.hasMore()) {
                int tag = reader.tag();
                if (tag == bytes(1)) {
                    pieces.add(piece(reader.message()));
                } else if (tag == bytes(2)) {
                    trainer(reader.message());
                } else if (tag == bytes(3)) {
                    normalizer(reader.message());
                } else {
                    reader.skip(tag);
                }
            }
        }

        private static Piece piece(WireReader reader) throws MalformedWireException {
            String text = "";
            float score = 0;
            Kind kind = Kind.NORMAL;
            while (reader.hasMore()) {
                int tag = reader.tag();
                if (tag == bytes(1)) {
                    text = new String(reader.message().copy(), StandardCharsets.UTF_8);
                } else if (tag == WireReader.tag(2, WireReader.FIXED32)) {
                    score = Float.intBitsToFloat(reader.fixed32());
                } else if (tag == varint(3)) {
                    kind = constant(Kind.values(), reader);
                } else {
                    reader.skip(tag);
                }
            }
            return new Piece(text, score, kind);
        }

        private void trainer(WireReader reader) throws MalformedWireException {
            while (reader.hasMore()) {
                int tag = reader.tag();
                if (tag == varint(3)) {
                    algorithm = constant(Algorithm.values(), reader);
                } else if (tag == varint(24)) {
                    whitespaceAsSuffix = reader.varint() != 0;
                } else if (tag == varint(35)) {
                    byteFallback = reader.varint() != 0;
                } else {
                    reader.skip(tag);
                }
            }
        }

        private void normalizer(WireReader reader) throws MalformedWireException {
            while (reader.hasMore()) {
                int tag = reader.tag();
                if (tag == bytes(2)) {
                    normalized = reader.message().left() > 0;
                } else if (tag == varint(3)) {
                    dummyPrefix = reader.varint() != 0;
                } else if (tag == varint(4)) {
                    whitespaceRemoved = reader.varint() != 0;
                } else if (tag == varint(5)) {
                    whitespaceEscaped = reader.varint() != 0;
                } else {
                    reader.skip(tag);
                }
            }
        }

        private static <T> T constant(T[] constants, WireReader reader) throws MalformedWireException {
            int at = reader.position();
            long number = reader.varint();
            if (number < 1 || number > constants.length) {
                throw new MalformedWireException(
                        at, "expected a number of 1 to " + constants.length + ", found " + number);
            }
            return constants[(int) number - 1];
        }

        private static int bytes(int field) {
            return WireReader.tag(field, WireReader.BYTES);
        }

        private static int varint(int field) {
            return WireReader.tag(field, WireReader.VARINT);
        }
    }
}
