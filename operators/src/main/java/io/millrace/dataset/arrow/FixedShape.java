package io.millrace.dataset.arrow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Optional;

/** The shape that Arrow's extension type {@code fixed_shape_tensor} states for lists of one size. */
final class FixedShape {
    private static final String NAME = "ARROW:extension:name";
    private static final String METADATA = "ARROW:extension:metadata";
    private static final String TENSOR = "arrow.fixed_shape_tensor";
    private static final ObjectMapper JSON = new ObjectMapper();

    private FixedShape() {}

    /**
     * Returns the shape in a new array. The result is empty when the field is a plain list, or its stated shape does
     * not fit its size.
     */
    static Optional<int[]> of(IpcField field) {
        try {
            JsonNode metadata = metadata(field);
            JsonNode extents = metadata.path("shape");
            int[] shape = new int[extents.size()];
            long elements = 1;
            for (int i = 0; i < shape.length; i++) {
                shape[i] = Math.max(0, extents.get(i).asInt(0));
                elements = Math.multiplyExact(elements, (long) shape[i]);
            }
            return extents.isArray() && elements == field.listSize() ? Optional.of(shape) : Optional.empty();
        } catch (JsonProcessingException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the extents of the tensors have another order than the stored numbers. */
    static boolean isPermuted(IpcField field) {
        try {
            JsonNode permutation = metadata(field).path("permutation");
            for (int i = 0; i < permutation.size(); i++) {
                if (permutation.get(i).asInt(-1) != i) {
                    return true;
                }
            }
            return false;
        } catch (JsonProcessingException e) {
            return false; // as for a shape that cannot be read, the numbers are a list
        }
    }

    private static JsonNode metadata(IpcField field) throws JsonProcessingException {
        return TENSOR.equals(field.metadata().get(NAME))
                ? JSON.readTree(field.metadata().getOrDefault(METADATA, ""))
                : MissingNode.getInstance();
    }
}
