package io.millrace.generate;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One kind of data that the program can draw: a service. Stateless; {@link Generators} cares for folders and markers. */
public interface Generator {
    /** What it is called in a pipeline file and on the command line. */
    String name();

    /** What it draws, one sentence. */
    String help();

    /** Its options. */
    List<Option<?>> options();

    /**
     * What these options ask for; {@code bytes} is 0 as nothing is drawn.
     *
     * @throws IllegalArgumentException when options contradict each other; the message names them
     */
    Generation request(OptionValues values);

    /** Whether the generator writes files of this name: a path below the folder, such as {@code sea/000007.jpg}. */
    boolean owns(Path relative);

    /**
     * Draws into an existing folder. Each file appears whole or not at all.
     *
     * @param threads drawing threads, at least 1; the bytes do not depend on it
     */
    Generation draw(OptionValues values, Path folder, int threads, ProgressListener progress) throws IOException;
}
