package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A transform that converts the numbers of a field to another element type. A sample with a number that does not fit is
 * quarantined.
 */
final class Cast implements Transform {
    private final String name;
    private final DType dtype;

    private Cast(String name, DType dtype) {
        this.name = name;
        this.dtype = dtype;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        Field field = NumberCast.numbers(sample, name, "Cast");
        try {
            Field cast = NumberCast.cast(field, dtype);
            boolean picture = cast.kind() == FieldKind.IMAGE || cast.kind() == FieldKind.MASK;
            // Only bytes are pictures, because no image transform works on other numbers.
            sample.put(name, picture && dtype != DType.UINT8 ? cast.as(FieldKind.TENSOR) : cast);
        } catch (NumberCast.OutOfRangeException e) {
            throw new BadSampleException(
                    sample.key(), -1, "Cast expected numbers that fit in '" + name + "', " + e.getMessage());
        }
    }

    /** The factory of {@code Cast}. */
    public static final class Factory implements TransformFactory {
        private static final Option<String> FIELD = Option.of(
                        "field", OptionType.TEXT, "The field whose numbers are converted.")
                .orElse(Sample.IMAGE);

        private static final Option<DType> DTYPE = Option.of(
                "dtype", numbers(), "The new element type; a sample with a number that does not fit is quarantined.");

        @Override
        public String name() {
            return "Cast";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("Cast", "Convert", "astype");
        }

        @Override
        public String help() {
            return "Converts the numbers of a field to another element type.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(FIELD, DTYPE);
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            boolean floats = options.get(FIELD).equals(Sample.IMAGE) && options.get(DTYPE) == DType.FLOAT32;
            return floats ? PictureWork.TO_FLOAT : PictureWork.OTHER;
        }

        @Override
        public Transform create(OptionValues options) {
            return new Cast(options.get(FIELD), options.get(DTYPE));
        }

        private static OptionType<DType> numbers() {
            List<DType> known = Stream.of(DType.values())
                    .filter(type -> type != DType.ENCODED)
                    .toList();
            String words = known.stream().map(DType::word).collect(Collectors.joining(" | "));
            return OptionType.of(words, raw -> known.stream()
                    .filter(type -> type.word().equals(raw))
                    .findFirst()
                    .orElseThrow(() -> OptionType.expected("one of " + words, raw)));
        }
    }
}
