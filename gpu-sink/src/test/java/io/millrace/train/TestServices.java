package io.millrace.train;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The format, transform and model that are tests of this module can be used by their names while a test class runs. The
 * tests of {@code jobs}, which have the classes of this module on their class path, do not find them in their lists.
 */
public final class TestServices implements BeforeAllCallback, AfterAllCallback {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        URL services = Path.of("src", "test", "services").toUri().toURL();
        Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[] {services}, before));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Thread.currentThread().setContextClassLoader(before);
    }
}
