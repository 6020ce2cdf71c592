package io.millrace.transform;

import io.millrace.image.Point;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;

/** The option {@code center} of transforms that rotate around a point. */
final class Centers {
    static final Option<Point> OPTION = Option.of(
                    "center",
                    OptionType.of("[x, y]", Centers::parse),
                    "The fixed point, in pixels from the upper left corner. Default: the middle of the image.")
            .optional();

    private Centers() {}

    private static Point parse(Object raw) {
        if (raw instanceof List<?> list
                && list.size() == 2
                && list.get(0) instanceof Number x
                && list.get(1) instanceof Number y
                && Double.isFinite(x.doubleValue())
                && Double.isFinite(y.doubleValue())) {
            return new Point(x.doubleValue(), y.doubleValue());
        }
        throw OptionType.expected("[x, y], two numbers", raw);
    }
}
