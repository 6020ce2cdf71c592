package io.millrace.transform.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * A transform that joins the documents of a pack to one sequence. Which documents these are was decided when the run was planned.
 *
 * <p>The result has the fields {@code tokens}, int32 [length], padded at its end; {@code lengths}, ragged int32 with the number of tokens
 * of each document; {@code label_mask}, uint8 [length], where documents have one; and {@code documents}, ragged int64 with their indexes,
 * if they are asked for.
 *
 * <p>Tested by {@code PackSequencesTest}.
 */
final class PackSequences implements Transform {
    /** The name of the transform in pipeline files. */
    static final String NAME = "pack_sequences";

    private final int length;
    private final int pad;
    private final boolean documents;

    private PackSequences(int length, int pad, boolean documents) {
        this.length = length;
        this.pad = pad;
        this.documents = documents;
    }

    @Override
    public boolean joinsParts() {
        return true;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        List<Part> parts = sample.parts();
        if (parts.isEmpty()) {
            throw new IllegalStateException(
                    NAME + " expected a pack of documents, found the sample " + sample.key() + " alone");
        }
        byte[] tokenBytes = new byte[length * Integer.BYTES];
        ByteBuffer tokens = ByteBuffer.wrap(tokenBytes).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer lengths = numbers(DType.INT32, parts.size());
        ByteBuffer indexes = numbers(DType.INT64, documents ? parts.size() : 0);
        byte[] mask = null;
        int members = 0;
        for (Part part : parts) {
            MaskedTokens own = tokens(part);
            int from = tokens.position() / Integer.BYTES;
            int count = part.to() - part.from();
            tokens.put(from * Integer.BYTES, own.ids(), part.from() * Integer.BYTES, count * Integer.BYTES);
            tokens.position((from + count) * Integer.BYTES);
            if (mask == null && own.mask() != null) {
                mask = new byte[length];
                Arrays.fill(mask, 0, from, (byte) 1);
            }
            if (mask != null && own.mask() != null) {
                own.mask().get(part.from(), mask, from, count);
            } else if (mask != null) {
                Arrays.fill(mask, from, from + count, (byte) 1);
            }
            if (count > 0) {
                members++;
                lengths.putInt(count);
                if (documents) {
                    indexes.putLong(part.sample().index());
                }
            }
        }
        while (tokens.hasRemaining()) {
            tokens.putInt(pad);
        }
        sample.removeFields();
        sample.ofParts(List.of());
        sample.put(Tokenize.TOKENS, Field.of(DType.INT32, new int[] {length}, tokenBytes));
        sample.put("lengths", ragged(DType.INT32, members, lengths));
        if (mask != null) {
            sample.put(Tokenize.LABEL_MASK, Field.of(DType.UINT8, new int[] {length}, mask));
        }
        if (documents) {
            sample.put("documents", ragged(DType.INT64, members, indexes));
        }
    }

    private static ByteBuffer numbers(DType dtype, int count) {
        return ByteBuffer.allocate(Math.multiplyExact(dtype.bytes(), count)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Field ragged(DType dtype, int count, ByteBuffer values) {
        byte[] bytes = new byte[count * dtype.bytes()];
        values.get(0, bytes);
        return Field.of(dtype, new int[] {count}, bytes).as(FieldKind.RAGGED);
    }

    private static MaskedTokens tokens(Part part) throws BadSampleException {
        Sample document = part.sample();
        MaskedTokens tokens = MaskedTokens.of(document);
        if (part.to() > tokens.count()) {
            throw new BadSampleException(
                    document.key(),
                    -1,
                    "document " + document.index() + " had at least " + part.to()
                            + " tokens when they were counted, and has " + tokens.count()
                            + " now: its file, or what happens to it before " + NAME + ", has changed");
        }
        return tokens;
    }

    /** The factory of {@code pack_sequences}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(NAME, "packing", "pack", "PackedDataset", "ConstantLengthDataset");
        }

        @Override
        public String help() {
            return "Packs the tokens of documents into sequences of one length.";
        }

        @Override
        public List<Option<?>> options() {
            return PackOptions.ALL;
        }

        @Override
        public boolean nests() {
            return false; // a run has packs only where its own list asks for them
        }

        @Override
        public Transform create(OptionValues options) {
            return new PackSequences(
                    PackOptions.of(options).length(), options.get(PackOptions.PAD), options.get(PackOptions.DOCUMENTS));
        }
    }
}
