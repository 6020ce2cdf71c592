package io.millrace.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetFormat;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServicesTest {
    @TempDir
    Path folder;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restoreContextLoader() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private static List<String> formats() {
        return Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::type)
                .map(Class::getSimpleName)
                .toList();
    }

    @Test
    void servicesOfTheThreadsJarAndTheClassPathAreFound() throws IOException {
        List<String> known = formats();
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        // The exception that names the missing class shows that the jar is searched.
        Files.writeString(services.resolve(DatasetFormat.class.getName()), "no.such.Format\n");
        try (URLClassLoader job = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(job);
            assertThatThrownBy(ServicesTest::formats).hasMessageContaining("no.such.Format");
        }
        assertThat(known).contains("FolderFormat");
    }

    @Test
    void loaderWithoutOurClassesFallsBackToTheClassPath() throws IOException {
        List<String> known = formats();
        try (URLClassLoader stranger = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(stranger);
            assertThat(formats()).isEqualTo(known).isNotEmpty();
        }
    }
}
