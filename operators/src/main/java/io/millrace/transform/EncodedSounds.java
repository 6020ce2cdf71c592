package io.millrace.transform;

import io.millrace.audio.MalformedAudioException;
import io.millrace.audio.WavFile;
import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Expected;
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
     * @throws BadSampleException when a sound is damaged or of an unknown kind, or a field that should be a sound begins like
     *     none
     */
    static boolean decode(Sample sample) throws BadSampleException {
        boolean any = false;
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            Field field = sample.field(names.get(i));
            if (field.expected() == Expected.SOUND) {
                throw MissingContent.unlike(sample, names.get(i), Expected.SOUND);
            }
            boolean sound = field.kind() == FieldKind.TENSOR || field.kind() == FieldKind.RAGGED;
            if (sound && field.dtype() == DType.ENCODED && !InstanceMasks.isEncoded(field)) {
                sample.put(names.get(i), decoded(sample, field));
                any = true;
            }
        }
        return any;
    }

    private static Field decoded(Sample sample, Field field) throws BadSampleException {
        try {
            WavFile file = WavFile.parse(field.data());
            if (file.frames() == 0 && field.kind() == FieldKind.TENSOR) {
                throw new BadSampleException(
                        sample.key(),
                        field.bytes(),
                        "expected at least one value per channel in a WAV file, found none");
            }
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
