package io.millrace.train;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A network from a TorchScript file. Its code stays PyTorch's; only its parameters move into our memory.
 *
 * <p>The engine gives no access to a module's buffers (running statistics), so they are digested and saved with the
 * whole module.
 */
final class TorchScriptNetwork implements Network {
    /** Where a TorchScript archive keeps the raw bytes of its tensors. */
    private static final Pattern TENSOR_DATA = Pattern.compile("(?:.*/)?data/(\\d+)");

    private final PtSymbolBlock module;
    private final List<Slot> parameters;
    private final int classes;
    private final Path path;
    private Mode mode;

    private TorchScriptNetwork(PtSymbolBlock module, List<Slot> parameters, int classes, Path path) {
        this.module = module;
        this.parameters = parameters;
        this.classes = classes;
        this.path = path;
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
            module = JniUtils.loadModule(manager, path, true, new String[0], new String[0], true);
        } catch (EngineException e) {
            throw new TrainSpecException(
                    "torchscript model: " + path + " is not a TorchScript file that this libtorch reads; write one with"
                            + " torch.jit.script(model).save(path): " + firstLine(e),
                    e);
        }
        List<Slot> parameters = new ArrayList<>();
        for (NDArray array : JniUtils.moduleGetParams(module, manager)) {
            PtNDArray parameter = (PtNDArray) array;
            switch (parameter.getDataType()) {
                case FLOAT32 -> parameters.add(Slot.existing(parameter.getName(), parameter));
                default -> {
                    module.close();
                    throw new TrainSpecException("torchscript model: " + path + ": parameter '" + parameter.getName()
                            + "' is " + parameter.getDataType() + ", expected FLOAT32");
                }
            }
        }
        if (parameters.isEmpty()) {
            module.close();
            throw new TrainSpecException("torchscript model: " + path
                    + " has no parameters to train (a frozen or optimised-for-inference export?)");
        }
        return new TorchScriptNetwork(module, List.copyOf(parameters), classes, path);
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
            JniUtils.writeModule(module, out, false);
        }
    }

    @Override
    public void close() {
        module.close();
    }
}
