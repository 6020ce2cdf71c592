package io.millrace.run;

import io.millrace.config.DatasetConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.generate.FolderState;
import io.millrace.generate.Generators;
import io.millrace.generate.TimedProgress;
import io.millrace.train.spec.Component;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Generates the data of a pipeline that is used for the first time, if its file names a generator. */
public final class FirstUse {
    private FirstUse() {}

    /** Generates the missing data of both datasets and reports it. */
    public static void makeData(PipelineConfig config, PrintStream out) throws IOException {
        for (SourceConfig source : config.data().sources()) {
            make(source.dataset(), out);
        }
        if (config.evaluate().isPresent()) {
            make(config.evaluate().get().dataset(), out);
        }
    }

    private static void make(DatasetConfig dataset, PrintStream out) throws IOException {
        Optional<Component> generate = dataset.generate();
        if (generate.isEmpty()) {
            return;
        }
        Component generator = generate.get();
        Path folder = Generators.folder(generator.name(), Path.of(dataset.spec().path()));
        String unit = Generators.named(generator.name()).unit();
        FolderState state = Generators.state(generator.name(), generator.options(), folder);
        if (state == FolderState.COMPLETE || state == FolderState.OTHER) {
            return; // the existing data are used
        }
        out.println((state == FolderState.UNFINISHED ? "only unfinished data in " : "no data in ") + folder
                + ": generating it with 'generate " + generator.name() + "', once");
        long began = System.nanoTime();
        Generators.Outcome outcome = Generators.generate(
                generator.name(),
                generator.options(),
                folder,
                new TimedProgress(folder.toString(), unit, out::println, System::nanoTime));
        out.printf(
                Locale.ROOT,
                "made %,d %s in %s in %.1f s%n",
                outcome.generation().samples(),
                unit,
                folder,
                (System.nanoTime() - began) / 1e9);
    }
}
