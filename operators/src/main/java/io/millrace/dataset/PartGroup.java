package io.millrace.dataset;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What the samples of a group have in common. All samples of a group belong to the same part of a dataset.
 *
 * @param field the field with the value that they share; null: they share the folder in the sample's name
 */
public record PartGroup(@Nullable String field) implements Serializable {
    /** The group of samples whose names have the same folder. */
    public static final PartGroup FOLDER = new PartGroup(null);
}
