package io.millrace.transform.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Numbers;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a document that is counted or packed, and the mask of their labels. Files of other programs have ids and masks of any
 * type of whole numbers, and {@code labels} as Hugging Face's models get them.
 *
 * <p>Tested by {@code MaskedTokensTest}.
 *
 * @param ids the ids, int32 in little-endian order
 * @param mask a byte for each id, 0 where the loss leaves it out; null for a document without a mask
 */
public record MaskedTokens(ByteBuffer ids, @Nullable ByteBuffer mask) {
    /** The field with the labels of the same places, where {@link #IGNORED} stands for those that the loss leaves out. */
    private static final String LABELS = "labels";

    /** The label that the losses of PyTorch and Hugging Face leave out. */
    private static final int IGNORED = -100;

    /**
     * Returns the tokens of a document: the field {@code tokens}, with {@code label_mask} or, without it, {@code labels}.
     *
     * @throws IllegalStateException when the document has no tokens, or fields of another type: the pipeline is wrong
     * @throws BadSampleException when a number is no id, or when the mask does not belong to these tokens
     */
    public static MaskedTokens of(Sample document) throws BadSampleException {
        if (!document.fieldNames().contains(Tokenize.TOKENS)) {
            throw new IllegalStateException("expected the field '" + Tokenize.TOKENS + "' in each document, found "
                    + document.fieldNames() + " in " + document.key()
                    + ": tokenize makes it of texts, and fields: { tokens: NAME } reads stored ids");
        }
        ByteBuffer ids = numbers(document, Tokenize.TOKENS, DType.INT32, Numbers.Policy.EXACT);
        requireIds(document, ids);
        ByteBuffer mask = null;
        if (document.fieldNames().contains(Tokenize.LABEL_MASK)) {
            mask = numbers(document, Tokenize.LABEL_MASK, DType.BOOL, Numbers.Policy.CAST);
            requireCount(document, Tokenize.LABEL_MASK, mask.capacity(), ids);
        } else if (document.fieldNames().contains(LABELS)) {
            mask = mask(document, ids);
        }
        return new MaskedTokens(ids, mask);
    }

    /** Returns the number of tokens. */
    public int count() {
        return ids.capacity() / Integer.BYTES;
    }

    private static void requireIds(Sample document, ByteBuffer ids) throws BadSampleException {
        IntBuffer values = ids.asIntBuffer();
        int signs = 0;
        for (int i = 0; i < values.capacity(); i++) {
            signs |= values.get(i);
        }
        for (int i = 0; signs < 0 && i < values.capacity(); i++) {
            if (values.get(i) < 0) {
                throw new BadSampleException(
                        document.key(),
                        -1,
                        "'" + Tokenize.TOKENS + "' has " + values.get(i) + " at index " + i
                                + ", expected an id, which is at least 0");
            }
        }
    }

    /** Returns the mask that labels state. */
    private static ByteBuffer mask(Sample document, ByteBuffer ids) throws BadSampleException {
        ByteBuffer labels = numbers(document, LABELS, DType.INT32, Numbers.Policy.EXACT);
        int count = labels.capacity() / Integer.BYTES;
        requireCount(document, LABELS, count, ids);
        ByteBuffer mask = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            int label = labels.getInt(i * Integer.BYTES);
            int id = ids.getInt(i * Integer.BYTES);
            if (label != IGNORED && label != id) {
                throw new BadSampleException(
                        document.key(),
                        -1,
                        "'" + LABELS + "' has " + label + " at index " + i + ", expected the id " + id + " of '"
                                + Tokenize.TOKENS + "', or " + IGNORED + " where the loss leaves it out");
            }
            mask.put(i, (byte) (label == IGNORED ? 0 : 1));
        }
        return mask;
    }

    private static void requireCount(Sample document, String name, int count, ByteBuffer ids)
            throws BadSampleException {
        int tokens = ids.capacity() / Integer.BYTES;
        if (count != tokens) {
            throw new BadSampleException(
                    document.key(),
                    -1,
                    "'" + name + "' has " + count + " values, expected one for each of the " + tokens + " values of '"
                            + Tokenize.TOKENS + "'");
        }
    }

    /** Returns the values of a list of whole numbers as another type. */
    private static ByteBuffer numbers(Sample document, String name, DType to, Numbers.Policy policy)
            throws BadSampleException {
        Field field = document.field(name);
        DType from = field.dtype();
        boolean text = field.kind() == FieldKind.TEXT || from == DType.ENCODED;
        if (text || from.isFloat() || field.shape().length != 1) {
            throw new IllegalStateException(PackSequences.NAME + " expected '" + name
                    + "' as a list of whole numbers, found " + (text ? "a text or a file" : field) + " in "
                    + document.key() + (text ? ": tokenize makes ids of texts" : ""));
        }
        ByteBuffer values = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        // A mask of bytes stays what it is.
        if (from == to || (to == DType.BOOL && from.bytes() == 1)) {
            return values;
        }
        int count = field.shape()[0];
        ByteBuffer result =
                ByteBuffer.allocate(Math.multiplyExact(count, to.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        int unfit = Numbers.convert(values, from, result, to, count, policy);
        if (unfit >= 0) {
            throw new BadSampleException(
                    document.key(),
                    -1,
                    "'" + name + "' has " + Numbers.describe(values, from, unfit) + " at index " + unfit
                            + ", expected an id that " + to.word() + " can hold");
        }
        return result;
    }
}
