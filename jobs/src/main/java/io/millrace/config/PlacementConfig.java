package io.millrace.config;

import io.millrace.option.ByteSize;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.List;

/**
 * Which TaskManagers the stages go to, by the external resources that these offer. Flink's default scheduler looks at
 * them; the adaptive one does not.
 *
 * @param trainer the resource of which each trainer's slot takes one
 * @param data the resource of which each data slot takes one
 * @param cores of a TaskManager that each slot takes
 * @param heap of a TaskManager that each slot takes
 */
public record PlacementConfig(String trainer, String data, double cores, ByteSize heap) {
    static final Option<String> TRAINER = Option.of(
                    "trainer", OptionType.TEXT, "Each trainer's slot takes one of this external resource.")
            .orElse("gpu");
    static final Option<String> DATA = Option.of(
                    "data", OptionType.TEXT, "Each slot of the other stages takes one of this external resource.")
            .orElse("data");
    static final Option<Double> CORES = Option.of(
                    "cores",
                    OptionType.NUMBER.where(n -> n > 0, "more than 0"),
                    "What each slot takes of its TaskManager's taskmanager.cpu.cores.")
            .orElse(1.0);
    static final Option<ByteSize> HEAP = Option.of(
                    "heap",
                    ByteSize.TYPE.where(size -> size.bytes() > 0, "more than nothing"),
                    "What each slot takes of its TaskManager's task heap.")
            .orElse(new ByteSize(256L << 20));
    static final List<Option<?>> OPTIONS = List.of(TRAINER, DATA, CORES, HEAP);

    static PlacementConfig read(Section section) {
        return new PlacementConfig(section.get(TRAINER), section.get(DATA), section.get(CORES), section.get(HEAP));
    }
}
