package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.option.OptionValues;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleArchivesTest {
    @TempDir
    Path folder;

    private Path modules;

    @BeforeEach
    void makeModules() throws IOException {
        modules = Files.createDirectory(folder.resolve("modules"));
    }

    private void write(String file, String text) throws IOException {
        Path path = modules.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private UnpackedModules unpacked() throws IOException {
        List<String> paths = List.of(modules.toString());
        return UnpackedModules.of(paths, ModuleArchives.pack(paths));
    }

    private static List<String> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void modulesAndFilesOfPackagesTravelAndDataBesideThemStay() throws IOException {
        for (String file : List.of(
                "augment.py",
                "fast.so",
                "more/plain.py",
                "package/__init__.py",
                "package/data/classes.json",
                "package/__pycache__/x.pyc",
                "package/old.pyc",
                "photos/1.jpg",
                "notes.txt",
                ".git/hook.py",
                ".hidden.py",
                "env/pyvenv.cfg",
                "env/lib/site.py")) {
            write(file, "x");
        }
        try (UnpackedModules unpacked = unpacked()) {
            Path copy = Path.of(unpacked.paths().get(0));
            assertThat(copy).isNotEqualTo(modules).hasFileName("modules");
            assertThat(files(copy))
                    .containsExactly(
                            "augment.py",
                            "fast.so",
                            "more/plain.py",
                            "package/__init__.py",
                            "package/data/classes.json");
        }
    }

    @Test
    void transformsShareOneCopyWhichTheLastOneDeletes() throws IOException {
        write("augment.py", "x");
        UnpackedModules first = unpacked();
        UnpackedModules second = unpacked();
        Path copy = Path.of(first.paths().get(0));
        assertThat(second.paths()).isEqualTo(first.paths());
        first.close();
        first.close();
        assertThat(copy).exists();
        second.close();
        assertThat(copy.getParent()).doesNotExist();
    }

    @Test
    void copyWithOtherContentIsAnother() throws IOException {
        write("augment.py", "x");
        try (UnpackedModules before = unpacked()) {
            write("augment.py", "y");
            try (UnpackedModules after = unpacked()) {
                assertThat(after.paths()).isNotEqualTo(before.paths());
                assertThat(Path.of(after.paths().get(0)).resolve("augment.py")).hasContent("y");
            }
        }
    }

    @Test
    void modulesThatDoNotTravelStayWhereTheyAre() throws IOException {
        List<String> paths = List.of(modules.toString());
        try (UnpackedModules unpacked = UnpackedModules.of(paths, ModuleArchives.NONE)) {
            assertThat(unpacked.paths()).isEqualTo(paths);
        }
        assertThat(modules).exists();
    }

    @Test
    void tooLargeModulesAreRefusedWithTheLargestFiles() throws IOException {
        write("package/__init__.py", "");
        for (int i = 1; i <= 4; i++) {
            Files.write(modules.resolve("package/weights" + i), new byte[(i + 2) << 20]);
        }
        assertThatThrownBy(this::unpacked)
                .isInstanceOf(PythonException.class)
                .hasMessage(
                        "python.path: the modules of " + modules + " have 18 MiB, but at most 16 MiB travel with a job"
                                + " to a cluster; the largest are " + modules + "/package/weights4 (6 MiB), " + modules
                                + "/package/weights3 (5 MiB), " + modules
                                + "/package/weights2 (4 MiB): set python.path to a folder with the modules alone");
    }

    @Test
    void missingFolderIsNamed() {
        assertThatThrownBy(() -> ModuleArchives.pack(List.of("/no/such/folder")))
                .isInstanceOf(PythonException.class)
                .hasMessage("python.path: there is no folder or zip file /no/such/folder");
    }

    @Test
    void circleOfLinksIsNoProblem() throws IOException {
        write("augment.py", "x");
        Files.createSymbolicLink(modules.resolve("circle"), modules);
        try (UnpackedModules unpacked = unpacked()) {
            assertThat(files(Path.of(unpacked.paths().get(0)))).containsExactly("augment.py");
        }
    }

    @Test
    void transformUsesTheCopyAfterTheFolderIsGone() throws Exception {
        write("augment.py", """
                import os
                from extra import names
                def f(sample):
                    raise ValueError(names.NAME + " " + str(os.path.exists(names.__file__)))
                """);
        write("extra/__init__.py", "");
        write("extra/names.py", "import os\nNAME = open(os.path.join(os.path.dirname(__file__), 'name.txt')).read()\n");
        write("extra/name.txt", "travelled");
        PythonTransformFactory factory = new PythonTransformFactory();
        OptionValues options = OptionValues.of(
                factory.options(),
                Map.of(
                        "call",
                        "augment:f",
                        "executable",
                        PythonFixture.interpreter(),
                        "path",
                        List.of(modules.toString())));
        OptionValues travelling =
                ModuleArchives.pack(List.of(modules.toString())).attach(options);
        Files.move(modules, folder.resolve("elsewhere"));
        try (PythonFixture python = PythonFixture.inJob(travelling)) {
            Sample sample = PythonFixture.sample(1).put(Sample.IMAGE, Field.image(1, 2, 1, new byte[] {1, 2}));
            assertThatThrownBy(() -> python.apply(sample)).hasMessage("augment.py:4: ValueError: travelled True");
        }
    }
}
