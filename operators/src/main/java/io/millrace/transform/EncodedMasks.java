package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.ObjectIds;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.image.ImageDecoder;
import io.millrace.image.MaskDecoder;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** The encoded pictures of ids of a sample, which become the masks of its objects. Stateless. */
final class EncodedMasks {
    private EncodedMasks() {}

    /** Returns whether a field is an encoded picture of ids. */
    static boolean is(Field field) {
        Annotation annotation = field.annotation();
        return field.dtype() == DType.ENCODED && annotation != null && annotation.ids() != null;
    }

    /**
     * Decodes all pictures of ids of a sample.
     *
     * @return whether the sample had one
     * @throws BadSampleException when a picture is damaged, is no picture of ids, or has too many objects
     */
    static boolean decode(Sample sample, ImageDecoder decoder) throws BadSampleException {
        boolean any = false;
        List<String> names = sample.fieldNames();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Field field = sample.field(name);
            Annotation annotation = field.annotation();
            if (annotation != null && is(field)) {
                try {
                    Field ids = MaskDecoder.ids(decoder.check(field.data()));
                    sample.put(name, ObjectIds.masks(ids, annotation, name, new ValuePlace(sample.key(), -1)));
                    any = true;
                } catch (MalformedImageException e) {
                    BadSampleException malformed = new BadSampleException(
                            sample.key(), e.offset(), "the picture of ids '" + name + "': " + e.reason());
                    malformed.initCause(e);
                    throw malformed;
                }
            }
        }
        return any;
    }
}
