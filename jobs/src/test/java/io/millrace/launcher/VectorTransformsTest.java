package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.transform.TransformFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The launcher's list of transforms for which it loads the module of the vector kernels. */
class VectorTransformsTest {
    private static final Pattern LIST = Pattern.compile("(?m)^vector_transforms='([^']*)'$");

    /** The class with the kernels for colours, and the class through which automatic augmentations use it. */
    private static final List<String> COLOUR_CLASSES =
            List.of("io/millrace/image/ColorOps", "io/millrace/transform/Augmenter");

    @Test
    void theLauncherListsEveryTransformThatUsesTheKernelsForColours() throws Exception {
        Matcher list = LIST.matcher(Files.readString(Path.of("..", "millrace")));
        assertThat(list.find()).as("vector_transforms in the launcher").isTrue();
        Set<String> listed = new TreeSet<>(Arrays.asList(list.group(1).split("\\|", -1)));

        Set<String> using = new TreeSet<>();
        for (TransformFactory factory : ServiceLoader.load(TransformFactory.class)) {
            if (usesColours(factory.getClass())) {
                using.add(factory.name());
            }
        }
        assertThat(using).as("transforms that use the kernels for colours").hasSizeGreaterThan(3);
        // A device transform: its matrix of colours is applied to batches on the host by another kernel.
        using.add("ConvertColor");
        assertThat(listed).isEqualTo(using);
    }

    /** Returns whether the constant pool of a class, or of a class within the same file, contains one of the classes. */
    private static boolean usesColours(Class<?> factory) throws IOException {
        Class<?> outer = factory.getEnclosingClass() == null ? factory : factory.getEnclosingClass();
        List<Class<?>> types = new ArrayList<>(List.of(outer.getDeclaredClasses()));
        types.add(outer);
        for (Class<?> type : types) {
            String name = "/" + type.getName().replace('.', '/') + ".class";
            try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(name), name)) {
                String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                if (COLOUR_CLASSES.stream().anyMatch(bytes::contains)) {
                    return true;
                }
            }
        }
        return false;
    }
}
