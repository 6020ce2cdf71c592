package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The model {@code torchscript}: a network from a file. */
public final class TorchScriptModel implements ModelFactory {
    private static final Option<String> PATH =
            Option.of("path", OptionType.PATH, "A file that torch.jit.script(model).save(path) wrote.");
    private static final Option<Integer> OUTPUTS = Option.of(
            "classes",
            POSITIVE,
            "The number of outputs of the file's model: one per class, for each row or each pixel.");

    @Override
    public String name() {
        return "torchscript";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("torchscript", "pytorch", "torch", "jit", "script", "pt");
    }

    @Override
    public String help() {
        return "A model exported by torch.jit.script, trained further from its parameters.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, OUTPUTS);
    }

    @Override
    public OptionalInt classes(OptionValues options) {
        return OptionalInt.of(options.get(OUTPUTS));
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        return context.torchScript(Path.of(options.get(PATH)), options.get(OUTPUTS));
    }
}
