package io.millrace.train;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A network from a TorchScript file. Its code stays PyTorch's; only its parameters move into our memory.
 *
 * <p>The engine gives no access to a module's buffers (running statistics), so they are digested and saved with the
 * whole module.
 */
final class TorchScriptNetwork implements Network {
    /** Where a TorchScript archive keeps the raw bytes of its tensors. */
    private static final Pattern TENSOR_DATA = Pattern.compile("(?:.*/)?data/(\\d+)");

    /** Where it keeps its code. */
    private static final Pattern CODE = Pattern.compile("(?:.*/)?code/.*\\.py");

    /**
     * What operators that draw random numbers, and modules that may call them, are called by in a module's code. Rather a
     * word too many: it costs a few microseconds.
     */
    private static final Pattern DRAWING = Pattern.compile("dropout|rand|bernoulli|normal_|torch\\.normal|multinomial"
            + "|uniform|exponential|geometric_|cauchy|log_normal|poisson|binomial|gamma|dirichlet|rrelu|fractional"
            + "|attention|lstm|gru|rnn");

    private final PtNDManager manager;
    private final List<Slot> parameters;
    private final int classes;
    private final Path path;
    private final boolean drawsNumbers;
    private PtSymbolBlock module;
    private Mode mode;

    private TorchScriptNetwork(PtSymbolBlock module, int classes, Path path, PtNDManager manager) {
        this.module = module;
        this.manager = manager;
        this.parameters = parameters(module, manager).stream()
                .map(array -> Slot.existing(array.getName(), array))
                .toList();
        this.classes = classes;
        this.path = path;
        this.drawsNumbers = drawsNumbers(path);
        this.mode = Mode.TRAIN;
        JniUtils.enableTrainingMode(module);
    }

    /**
     * Loads the file; its parameters are those that it holds.
     *
     * @throws TrainSpecException when there is no such file, it is not TorchScript, or has nothing to train
     */
    static TorchScriptNetwork load(Path path, int classes, PtNDManager manager) {
        if (!Files.isRegularFile(path)) {
            throw new TrainSpecException("torchscript model: no file " + path.toAbsolutePath());
        }
        PtSymbolBlock module;
        try {
            module = open(path, manager);
        } catch (EngineException e) {
            throw new TrainSpecException(
                    "torchscript model: " + path + " is not a TorchScript file that this libtorch reads; write one with"
                            + " torch.jit.script(model).save(path): " + firstLine(e),
                    e);
        }
        String wrong = wrong(parameters(module, manager));
        if (wrong != null) {
            module.close();
            throw new TrainSpecException("torchscript model: " + path + wrong);
        }
        return new TorchScriptNetwork(module, classes, path, manager);
    }

    private static PtSymbolBlock open(Path path, PtNDManager manager) {
        return JniUtils.loadModule(manager, path, true, new String[0], new String[0], true);
    }

    private static List<PtNDArray> parameters(PtSymbolBlock module, PtNDManager manager) {
        return JniUtils.moduleGetParams(module, manager).stream()
                .map(PtNDArray.class::cast)
                .toList();
    }

    private static @Nullable String wrong(List<PtNDArray> parameters) {
        for (PtNDArray parameter : parameters) {
            if (parameter.getDataType() != DataType.FLOAT32) {
                return ": parameter '" + parameter.getName() + "' is " + parameter.getDataType() + ", expected FLOAT32";
            }
        }
        return parameters.isEmpty()
                ? " has no parameters to train (a frozen or optimised-for-inference export?)"
                : null;
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given");
    }

    @Override
    public List<Slot> parameters() {
        return parameters;
    }

    /** Empty: they are part of the module. */
    @Override
    public List<Slot> statistics() {
        return List.of();
    }

    @Override
    public int classes() {
        return classes;
    }

    @Override
    public boolean drawsNumbers() {
        return drawsNumbers;
    }

    private static boolean drawsNumbers(Path path) {
        try (ZipFile archive = new ZipFile(path.toFile())) {
            for (ZipEntry entry : Collections.list(archive.entries())) {
                if (CODE.matcher(entry.getName()).matches()) {
                    try (InputStream content = archive.getInputStream(entry)) {
                        String code = new String(content.readAllBytes(), StandardCharsets.UTF_8);
                        if (DRAWING.matcher(code).find()) {
                            return true;
                        }
                    }
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public PtNDArray forward(NDList inputs, Mode wanted) {
        if (wanted != mode) {
            if (wanted == Mode.TRAIN) {
                JniUtils.enableTrainingMode(module);
            } else {
                JniUtils.enableInferenceMode(module);
            }
            mode = wanted;
        }
        NDList outputs = IValueUtils.forward(module, inputs, wanted == Mode.TRAIN);
        if (outputs.size() != 1
                || outputs.get(0).getShape().dimension() < 2
                || outputs.get(0).getShape().get(1) != classes) {
            throw new TrainSpecException("torchscript model: " + path + " gives "
                    + outputs.stream().map(o -> o.getShape().toString()).toList() + " for an input of "
                    + inputs.stream().map(i -> i.getShape().toString()).collect(Collectors.joining(" and "))
                    + ", expected one tensor of (rows, " + classes + ") or (rows, " + classes + ", height, width)");
        }
        PtNDArray output = (PtNDArray) outputs.get(0);
        output.attach(inputs.get(0).getManager());
        return output;
    }

    /** The raw bytes of every tensor in the module, running statistics among them, in the archive's order. */
    @Override
    public void digestRest(MessageDigest digest) {
        try {
            Path file = Files.createTempFile("millrace-module", ".pt");
            try {
                write(file);
                digestTensors(file, digest);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void requireShareable() {
        try {
            Path file = Files.createTempFile("millrace-module", ".pt");
            try {
                write(file);
                try (ZipFile archive = new ZipFile(file.toFile())) {
                    long tensors = archive.stream()
                            .filter(entry ->
                                    TENSOR_DATA.matcher(entry.getName()).matches())
                            .count();
                    if (tensors != parameters.size()) {
                        throw new TrainSpecException("torchscript model: " + path + " has " + parameters.size()
                                + " parameters and " + (tensors - parameters.size()) + " other tensors, such as running"
                                + " statistics, which the engine lets nobody reach to average them: use a model without"
                                + " them (group instead of batch normalization), or replicas: independent");
                    }
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void digestTensors(Path file, MessageDigest digest) throws IOException {
        try (ZipFile archive = new ZipFile(file.toFile())) {
            List<? extends ZipEntry> tensors = archive.stream()
                    .filter(entry -> TENSOR_DATA.matcher(entry.getName()).matches())
                    .sorted(Comparator.comparingInt(entry -> number(entry.getName())))
                    .toList();
            for (ZipEntry tensor : tensors) {
                try (InputStream content = archive.getInputStream(tensor)) {
                    digest.update(content.readAllBytes());
                }
            }
        }
    }

    private static int number(String name) {
        Matcher matcher = TENSOR_DATA.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalStateException(name);
        }
        return Integer.parseInt(matcher.group(1));
    }

    /** Writes {@code model.pt}, which torch.jit.load reads. */
    @Override
    public void saveOwnForm(Path directory) throws IOException {
        write(directory.resolve("model.pt"));
    }

    private void write(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            writeOwnForm(out);
        }
    }

    /** True: the engine gives running statistics with the whole module alone. */
    @Override
    public boolean keepsOwnForm() {
        return true;
    }

    @Override
    public void writeOwnForm(OutputStream out) {
        JniUtils.writeModule(module, out, false);
    }

    @Override
    public void readOwnForm(InputStream in) throws IOException {
        // By way of a file: from a stream the engine takes a module for inference.
        Path file = Files.createTempFile("millrace-module", ".pt");
        try {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            become(open(file, manager));
        } catch (EngineException e) {
            throw new ModelStateException(
                    "the model's state is damaged: its TorchScript module cannot be read: " + firstLine(e), e);
        } finally {
            Files.delete(file);
        }
    }

    private void become(PtSymbolBlock other) {
        List<PtNDArray> arrays = parameters(other, manager);
        for (int i = 0; i < parameters.size(); i++) {
            Slot slot = parameters.get(i);
            if (i >= arrays.size()
                    || !slot.name().equals(arrays.get(i).getName())
                    || !Arrays.equals(slot.shape(), arrays.get(i).getShape().getShape())) {
                other.close();
                throw new ModelStateException("the model's state is damaged: its TorchScript module has other"
                        + " parameters than its header says, such as '" + slot.name() + "'");
            }
        }
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).exchange(arrays.get(i));
        }
        module.close();
        module = other;
        mode = Mode.TRAIN;
        JniUtils.enableTrainingMode(module);
    }

    @Override
    public void close() {
        module.close();
    }
}
