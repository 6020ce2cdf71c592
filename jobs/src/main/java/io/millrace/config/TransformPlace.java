package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The place of a transform. */
public enum TransformPlace {
    /** The transform runs on the data servers, sample by sample. */
    SERVER,
    /** The transform runs where training runs, batch by batch. */
    DEVICE,
    /** The transform runs on the device if that is possible and relieves the data servers. */
    AUTO;

    /** The key that every transform has besides its own. */
    public static final Option<TransformPlace> OPTION = Option.of(
                    "place",
                    OptionType.choice(TransformPlace.class),
                    "The place of the transform. Default: the server or the device, depending on the list.")
            .optional();
}
