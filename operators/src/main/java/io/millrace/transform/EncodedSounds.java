package io.millrace.transform;

import io.millrace.audio.MalformedAudioException;
import io.millrace.audio.WavFile;
import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;

/** The decoder of the sounds of a sample that are still encoded: fields that are neither image nor mask. */
final class EncodedSounds {
    private EncodedSounds() {}

    /**
     * Decodes the sounds to float32: tensors become [channels, frames], ragged fields [frames, channels].
     *
     * @return whether the sample had an encoded sound
     * @throws BadSampleException when a sound is damaged or of an unknown kind
     */
    static boolean decode(Sample sample) throws BadSampleException {
        boolean any = false;
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            Field field = sample.field(names.get(i));
            boolean sound = field.kind() == FieldKind.TENSOR || field.kind() == FieldKind.RAGGED;
            if (sound && field.dtype() == DType.ENCODED) {
                sample.put(names.get(i), decoded(sample, field));
                any = true;
            }
        }
        return any;
    }

    private static Field decoded(Sample sample, Field field) throws BadSampleException {
        try {
            WavFile file = WavFile.parse(field.data());
            return field.kind() == FieldKind.RAGGED
                    ? Field.of(DType.FLOAT32, new int[] {file.frames(), file.channels()}, file.byFrame())
                            .as(FieldKind.RAGGED)
                    : Field.of(DType.FLOAT32, new int[] {file.channels(), file.frames()}, file.byChannel());
        } catch (MalformedAudioException e) {
            BadSampleException malformed = new BadSampleException(sample.key(), e.offset(), e.reason());
            malformed.initCause(e);
            throw malformed;
        }
    }
}
