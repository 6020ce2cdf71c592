package io.millrace;

import java.util.List;

/** The order of the packages and the libraries that each may import; {@code docs/architecture.md} prints both. */
final class Layers {
    /**
     * The packages below {@code io.millrace} from the bottom up. A package may import those before it, never those after it.
     * A name covers the packages below it. A new package gets its place here.
     */
    static final List<String> PACKAGES = List.of(
            "lifecycle",
            "file",
            "rpc",
            "option",
            "sample",
            "order",
            "sequence",
            "trace",
            "metrics",
            "dataset",
            "source",
            "image",
            "audio",
            "text",
            "transform",
            "python",
            "batch",
            "device",
            "serve",
            "exchange",
            "train",
            "sink",
            "generate",
            "config",
            "pipeline",
            "rest",
            "report",
            "resume",
            "cluster",
            "diagnosis",
            "inspect",
            "preview",
            "pack",
            "run",
            "cli");

    /** The libraries that only some packages may import. */
    static final List<LibraryRule> LIBRARIES = List.of(
            new LibraryRule("DJL", List.of("ai.djl.."), List.of("train..", "device..", "text..")),
            new LibraryRule("Hugging Face's tokenizers", List.of("ai.djl.huggingface.."), List.of("text..")),
            new LibraryRule("JCuda", List.of("jcuda.."), List.of("device..")),
            new LibraryRule("picocli", List.of("picocli.."), List.of("cli..")),
            new LibraryRule(
                    "Parquet",
                    List.of("org.apache.parquet..", "shaded.parquet..", "org.xerial.snappy.."),
                    List.of("dataset.parquet..", "diagnosis.planted..")));

    private Layers() {}

    /** Returns the pattern that matches a package of Millrace and those below it. */
    static String pattern(String layer) {
        return "io.millrace." + layer + "..";
    }

    /**
     * A library that only some packages may import.
     *
     * @param library its name
     * @param packages the patterns of its packages
     * @param importers the patterns, below {@code io.millrace}, of the packages that may import it
     */
    record LibraryRule(String library, List<String> packages, List<String> importers) {}
}
