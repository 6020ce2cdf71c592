package io.millrace.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.text.SentencePieceModel.Algorithm;
import io.millrace.text.SentencePieceModel.Kind;
import io.millrace.text.SentencePieceModel.Piece;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The conversion of a SentencePiece model into a {@code tokenizer.json} that makes the same ids as SentencePiece. It exists only for
 * models of BPE that do not change characters, such as those of Llama 2 and Mistral: others make other ids in Hugging Face's
 * tokenizers for some texts, so they are refused.
 *
 * <p>As in SentencePiece, text that spells a control piece such as {@code <s>} does not become its id. A model has no template: nothing
 * precedes or follows a text.
 */
final class SentencePieceConversion {
    private static final JsonFactory JSON = new JsonFactory();

    private SentencePieceConversion() {}

    /**
     * Converts a model.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when the ids would differ from SentencePiece's for some text, with the remedy
     */
    static byte[] tokenizerJson(String source, SentencePieceModel model) throws TokenizerException {
        Map<String, Integer> ids = ids(source, model);
        Optional<String> reason = reason(model);
        if (reason.isPresent()) {
            throw new TokenizerException(source + " is refused, because " + reason.get()
                    + ", and Millrace makes SentencePiece's ids only for models of BPE that keep all characters. Write the"
                    + " tokenizer.json that transformers makes of the model (its ids differ from SentencePiece's for some"
                    + " texts, for example with several spaces), and name that file: python3 -c \"from transformers import"
                    + " AutoTokenizer; AutoTokenizer.from_pretrained('FOLDER OF THE MODEL')"
                    + ".backend_tokenizer.save('tokenizer.json')\"");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            write(json, model, ids);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static Map<String, Integer> ids(String source, SentencePieceModel model) throws TokenizerException {
        Map<String, Integer> ids = new HashMap<>();
        for (int id = 0; id < model.pieces().size(); id++) {
            String text = model.pieces().get(id).text();
            Integer other = ids.put(text, id);
            if (other != null || text.isEmpty()) {
                throw new TokenizerException(source + " is damaged: expected a text of its own for each piece, found '"
                        + text + "' for piece " + id + (other == null ? "" : " and for piece " + other));
            }
        }
        return ids;
    }

    private static Optional<String> reason(SentencePieceModel model) {
        if (model.algorithm() != Algorithm.BPE) {
            return Optional.of("its algorithm is " + model.algorithm() + " and not BPE");
        }
        if (model.normalized()) {
            return Optional.of("it changes characters (precompiled_charsmap)");
        }
        if (model.whitespaceRemoved()) {
            return Optional.of("it removes spaces (remove_extra_whitespaces)");
        }
        if (!model.whitespaceEscaped() || model.whitespaceAsSuffix()) {
            return Optional.of("it does not mark spaces before words (escape_whitespaces, treat_whitespace_as_suffix)");
        }
        for (Piece piece : model.pieces()) {
            if (piece.kind() == Kind.USER_DEFINED || piece.kind() == Kind.UNUSED) {
                return Optional.of("the piece '" + piece.text() + "' is of the kind " + piece.kind());
            }
            if (piece.kind() != Kind.NORMAL && length(piece.text()) == 1) {
                return Optional.of(
                        "the piece '" + piece.text() + "' of the kind " + piece.kind() + " is one character");
            }
        }
        long unknown = model.pieces().stream()
                .filter(piece -> piece.kind() == Kind.UNKNOWN)
                .count();
        return unknown == 1
                ? Optional.empty()
                : Optional.of("it has " + unknown + " pieces of the kind UNKNOWN instead of 1");
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static void write(JsonGenerator json, SentencePieceModel model, Map<String, Integer> ids)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("version", "1.0");
        json.writeArrayFieldStart("added_tokens");
        json.writeEndArray();
        json.writeObjectFieldStart("normalizer");
        json.writeStringField("type", "Sequence");
        json.writeArrayFieldStart("normalizers");
        if (model.dummyPrefix()) {
            json.writeStartObject();
            json.writeStringField("type", "Prepend");
            json.writeStringField("prepend", "▁");
            json.writeEndObject();
        }
        json.writeStartObject();
        json.writeStringField("type", "Replace");
        json.writeObjectFieldStart("pattern");
        json.writeStringField("String", " ");
        json.writeEndObject();
        json.writeStringField("content", "▁");
        json.writeEndObject();
        json.writeEndArray();
        json.writeEndObject();
        json.writeObjectFieldStart("model");
        json.writeStringField("type", "BPE");
        for (Piece piece : model.pieces()) {
            if (piece.kind() == Kind.UNKNOWN) {
                json.writeStringField("unk_token", piece.text());
            }
        }
        json.writeBooleanField("fuse_unk", true);
        json.writeBooleanField("byte_fallback", model.byteFallback());
        json.writeObjectFieldStart("vocab");
        for (int id = 0; id < model.pieces().size(); id++) {
            json.writeNumberField(model.pieces().get(id).text(), id);
        }
        json.writeEndObject();
        json.writeArrayFieldStart("merges");
        for (Merge merge : merges(model.pieces(), ids)) {
            json.writeStartArray();
            json.writeString(merge.left());
            json.writeString(merge.right());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndObject();
    }

    private record Merge(String left, String right, float score) {}

    /**
     * Returns the pairs of normal pieces that make a normal piece, the one with the largest score first. Of the pairs that make the same
     * piece, the one with the longest left part is first: the order of transformers.
     */
    private static List<Merge> merges(List<Piece> pieces, Map<String, Integer> ids) {
        List<Merge> merges = new ArrayList<>();
        for (Piece piece : pieces) {
            String text = piece.text();
            if (piece.kind() != Kind.NORMAL) {
                continue;
            }
            for (int cut = text.offsetByCodePoints(0, 1); cut < text.length(); cut = text.offsetByCodePoints(cut, 1)) {
                Integer left = ids.get(text.substring(0, cut));
                Integer right = ids.get(text.substring(cut));
                if (left != null
                        && right != null
                        && pieces.get(left).kind() == Kind.NORMAL
                        && pieces.get(right).kind() == Kind.NORMAL) {
                    merges.add(new Merge(text.substring(0, cut), text.substring(cut), piece.score()));
                }
            }
        }
        merges.sort(Comparator.comparing(Merge::score)
                .thenComparing(merge -> length(merge.left()))
                .reversed());
        return merges;
    }
}
