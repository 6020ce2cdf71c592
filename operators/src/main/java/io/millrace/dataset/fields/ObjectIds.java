package io.millrace.dataset.fields;

import io.millrace.dataset.BadSampleException;
import io.millrace.file.HeapLimit;
import io.millrace.sample.Annotation;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The division of pictures of ids, in which each object has a value of its own, into the masks of the objects. Stateless. */
public final class ObjectIds {
    private ObjectIds() {}

    /**
     * Returns the masks of the objects in the order of their ids, bool [objects, height, width], as {@code ids == numpy.unique(ids)[:, None,
     * None]} without the values that are no objects.
     *
     * @param ids whole numbers [height, width] or [height, width, 1]
     * @param annotation the annotation of masks, with the values of objects
     * @param name the name of the field in the files, for messages
     * @throws BadSampleException when the array is another one, or the masks are too large
     */
    public static Field masks(Field ids, Annotation annotation, String name, ValuePlace place)
            throws BadSampleException {
        Annotation.Ids objects = annotation.ids();
        int[] shape = ids.shape();
        boolean whole = ids.dtype() != DType.ENCODED && !ids.dtype().isFloat();
        boolean flat = shape.length == 2 || (shape.length == 3 && shape[2] == 1);
        if (objects == null || !whole || !flat) {
            throw place.badSample("expected the ids of objects as '" + name
                    + "', a PNG with a palette or in gray, or whole numbers [height, width], found "
                    + ids.dtype().word() + " " + Arrays.toString(shape));
        }
        ByteBuffer values = ByteBuffer.wrap(ids.data()).order(ByteOrder.LITTLE_ENDIAN);
        int pixels = Math.multiplyExact(shape[0], shape[1]);
        Map<Long, Integer> numbers = numbered(values, ids.dtype(), pixels, objects);
        String refusal = HeapLimit.refusalOfArray("masks", (long) pixels * numbers.size());
        if (!refusal.isEmpty()) {
            throw place.badSample(refusal);
        }
        byte[] masks = new byte[pixels * numbers.size()];
        long last = 0; // no object has the id 0
        int offset = -1;
        for (int i = 0; i < pixels; i++) {
            long id = Numbers.whole(values, ids.dtype(), i);
            if (id != last) {
                Integer number = numbers.get(id);
                offset = number == null ? -1 : number * pixels;
                last = id;
            }
            if (offset >= 0) {
                masks[offset + i] = 1;
            }
        }
        return Field.of(DType.BOOL, new int[] {numbers.size(), shape[0], shape[1]}, masks)
                .as(FieldKind.RAGGED)
                .annotated(annotation.withIds(null));
    }

    /** Returns the ids of objects with their places in the order of the ids. */
    private static Map<Long, Integer> numbered(ByteBuffer values, DType dtype, int pixels, Annotation.Ids objects) {
        TreeMap<Long, Integer> numbers = new TreeMap<>();
        long last = 0; // neighbours usually have the same id
        for (int i = 0; i < pixels; i++) {
            long id = Numbers.whole(values, dtype, i);
            if (id != last && id >= objects.least() && id <= objects.most()) {
                numbers.putIfAbsent(id, 0);
            }
            last = id;
        }
        int next = 0;
        for (Map.Entry<Long, Integer> number : numbers.entrySet()) {
            number.setValue(next++);
        }
        return numbers;
    }
}
