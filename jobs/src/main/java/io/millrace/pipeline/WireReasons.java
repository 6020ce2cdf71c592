package io.millrace.pipeline;

import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.train.FieldUse;
import java.util.Locale;

/** The reasons for the forms and types of fields on the wire, as messages show them. */
final class WireReasons {
    private WireReasons() {}

    /** Returns the reason for a choice that the pipeline file does not make. */
    static String reason(Form form, DType from, FieldUse use) {
        return switch (use.kind()) {
            case UNUSED -> "not used by training";
            case UNCHANGED -> "as the model expects it";
            case CLASSES -> "class numbers of " + use.classes().orElseThrow().classes() + " classes";
            case FLOATS -> form == Form.BITS ? "truth values" : floats(from, use);
        };
    }

    private static String floats(DType from, FieldUse use) {
        if (!use.transforms().isEmpty()) {
            return String.join(" and ", use.transforms()) + " on the device";
        }
        return from.isFloat() ? "as training uses it" : "converted to floats on the device";
    }

    /** Returns "dense", "ragged" or "as bits". */
    static String form(Form form) {
        return (form == Form.BITS ? "as " : "") + form.name().toLowerCase(Locale.ROOT);
    }
}
