package io.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizersLibrariesTest {
    @Test
    void loadedLibraryNeverDownloads() throws IOException {
        assertThat(TokenizersLibraries.load()).isSameAs(TokenizersLibrary.LIB);
        assertThat(System.getProperty("ai.djl.offline")).isEqualTo("true");
    }

    /** The classes are loaded anew, beside a copy of DJL's jar that has no native libraries, and DJL's cache is empty. */
    @Test
    void missingNativeLibraryIsAnErrorWithTheRemedyAndNoDownload(@TempDir Path folder) throws Exception {
        String cache = System.getProperty("DJL_CACHE_DIR");
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(classPathWithoutNatives(folder), ClassLoader.getPlatformClassLoader())) {
            System.setProperty("DJL_CACHE_DIR", folder.resolve("cache").toString());
            Thread.currentThread().setContextClassLoader(loader);
            Method load =
                    loader.loadClass("io.millrace.text.TokenizersLibraries").getDeclaredMethod("load");
            load.setAccessible(true);
            assertThatThrownBy(() -> load.invoke(null))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .hasMessageContainingAll(
                            "The native library of Hugging Face's tokenizers cannot be loaded: expected native/lib/",
                            "in the jar ai.djl.huggingface:tokenizers on the class path",
                            "found: EngineException: Unexpected flavor: cpu",
                            "Nothing is downloaded");
            assertThat(folder.resolve("cache"))
                    .satisfiesAnyOf(none -> assertThat(none).doesNotExist(), empty -> assertThat(empty)
                            .isDirectoryNotContaining("glob:**.so"));
        } finally {
            Thread.currentThread().setContextClassLoader(context);
            if (cache == null) {
                System.clearProperty("DJL_CACHE_DIR");
            } else {
                System.setProperty("DJL_CACHE_DIR", cache);
            }
        }
    }

    private static URL[] classPathWithoutNatives(Path folder) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            boolean library = path.toString().replace('\\', '/').contains("/huggingface/tokenizers/");
            urls.add((library ? withoutNatives(path, folder.resolve("tokenizers.jar")) : path)
                    .toUri()
                    .toURL());
        }
        assertThat(folder.resolve("tokenizers.jar")).exists();
        return urls.toArray(URL[]::new);
    }

    private static Path withoutNatives(Path jar, Path copy) throws IOException {
        try (ZipFile from = new ZipFile(jar.toFile());
                OutputStream out = Files.newOutputStream(copy);
                ZipOutputStream to = new ZipOutputStream(out)) {
            for (ZipEntry entry : from.stream().toList()) {
                if (!entry.getName().contains("libtokenizers") && !entry.isDirectory()) {
                    to.putNextEntry(new ZipEntry(entry.getName()));
                    try (InputStream in = from.getInputStream(entry)) {
                        in.transferTo(to);
                    }
                }
            }
        }
        return copy;
    }
}
