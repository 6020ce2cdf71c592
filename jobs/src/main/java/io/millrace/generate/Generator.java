package io.millrace.generate;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A generator of one kind of data, found as a service. It is stateless; {@link Generators} manages folders and markers. */
public interface Generator {
    /** Returns the name for pipeline files and the command line. */
    String name();

    /** Returns one sentence that describes the data. */
    String help();

    /** Returns the word for what the generator makes, in the plural. */
    default String unit() {
        return "images";
    }

    /** Returns the options. */
    List<Option<?>> options();

    /**
     * Returns the generation that the options request; its {@code bytes} are 0 because nothing has been drawn.
     *
     * @throws IllegalArgumentException when options contradict each other; the message names them
     */
    Generation request(OptionValues values);

    /** Returns whether the generator writes files with such a path below the folder, for example {@code sea/000007.jpg}. */
    boolean owns(Path relative);

    /**
     * Writes the data into an existing folder. Each file appears complete or not at all.
     *
     * @param threads the number of drawing threads, at least 1; the bytes do not depend on it
     */
    Generation draw(OptionValues values, Path folder, int threads, ProgressListener progress) throws IOException;
}
