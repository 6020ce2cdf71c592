package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class VectorTransformsTest {
    private static final Pattern LIST = Pattern.compile("(?m)^vector_transforms='([^']*)'$");

    /** The launcher loads the module of the vector kernels for pipelines with one of these transforms. */
    @Test
    void theLauncherKnowsEveryTransformThatChangesColoursWithTheJavaKernels() throws Exception {
        Matcher list = LIST.matcher(Files.readString(Path.of("..", "millrace")));
        assertThat(list.find()).as("vector_transforms in the launcher").isTrue();
        Set<String> known = new TreeSet<>(Arrays.asList(list.group(1).split("\\|", -1)));

        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.millrace.transform", "io.millrace.image");
        JavaClass augmenter = classes.get("io.millrace.transform.Augmenter");
        JavaClass colors = classes.get("io.millrace.image.ColorOps");
        Set<String> using = new TreeSet<>();
        for (JavaClass user : classes) {
            boolean changesColors = user.getDirectDependenciesFromSelf().stream()
                    .anyMatch(d -> d.getTargetClass().equals(colors)
                            || d.getTargetClass().equals(augmenter));
            if (changesColors && user.getPackageName().equals("io.millrace.transform") && !user.equals(augmenter)) {
                using.add(topLevel(user).getSimpleName());
            }
        }
        // On whole batches, a matrix of colours that the device transform ToFloat or ConvertColor leaves to the host.
        using.add("ConvertColor");

        assertThat(known).isEqualTo(using);
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(VectorTransformsTest::topLevel).orElse(type);
    }
}
