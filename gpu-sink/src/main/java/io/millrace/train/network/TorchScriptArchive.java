package io.millrace.train.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Facts about a TorchScript module from its file, a ZIP archive of code and raw tensors. Stateless. */
final class TorchScriptArchive {
    /** The entries that hold the raw bytes of tensors. */
    private static final Pattern TENSOR_DATA = Pattern.compile("(?:.*/)?data/(\\d+)");

    /** The entries that hold code. */
    private static final Pattern CODE = Pattern.compile("(?:.*/)?code/.*\\.py");

    /**
     * The names in a module's code of operators that draw random numbers, and of modules that may call such operators.
     * A false match costs only a few microseconds in each step.
     */
    private static final Pattern DRAWING = Pattern.compile("dropout|rand|bernoulli|normal_|torch\\.normal|multinomial"
            + "|uniform|exponential|geometric_|cauchy|log_normal|poisson|binomial|gamma|dirichlet|rrelu|fractional"
            + "|attention|lstm|gru|rnn");

    private TorchScriptArchive() {}

    /** Returns whether the module's code has a name of {@link #DRAWING}. */
    static boolean drawsNumbers(Path file) throws IOException {
        try (ZipFile archive = new ZipFile(file.toFile())) {
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
        }
    }

    /** Returns the number of the module's tensors: parameters and buffers. */
    static long tensors(Path file) throws IOException {
        try (ZipFile archive = new ZipFile(file.toFile())) {
            return archive.stream()
                    .filter(entry -> TENSOR_DATA.matcher(entry.getName()).matches())
                    .count();
        }
    }

    /** Digests the raw bytes of every tensor, in the archive's order. */
    static void digestTensors(Path file, MessageDigest digest) throws IOException {
        try (ZipFile archive = new ZipFile(file.toFile());
                OutputStream into = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            List<? extends ZipEntry> tensors = archive.stream()
                    .filter(entry -> TENSOR_DATA.matcher(entry.getName()).matches())
                    .sorted(Comparator.comparingInt(entry -> number(entry.getName())))
                    .toList();
            for (ZipEntry tensor : tensors) {
                try (InputStream content = archive.getInputStream(tensor)) {
                    content.transferTo(into);
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
}
