package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** Where a transform shall be done. */
public enum TransformPlace {
    /** On the data servers, sample by sample. */
    SERVER,
    /** Where training runs, batch by batch. */
    DEVICE,
    /** On the device where that relieves the data servers and can be done. */
    AUTO;

    /** The key that every transform has beside its own. */
    public static final Option<TransformPlace> OPTION = Option.of(
                    "place",
                    OptionType.choice(TransformPlace.class),
                    "Where it is done. Default: on the server, or the device, as the list says.")
            .optional();
}
