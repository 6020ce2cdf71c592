package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.StorageOptions;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestsTest {
    /** A number of threads that no other test uses, so that this test creates them. */
    private static final StorageOptions OWN_THREADS =
            new StorageOptions(61, StorageOptions.SMALLEST_CHUNK, 0, Duration.ofSeconds(30), null);

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restoreTheClassLoader() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void threadsDoNotKeepTheClassLoaderOfTheFirstJob() throws Exception {
        Requests requests = new Requests(OWN_THREADS);
        ClassLoader seen;
        try (URLClassLoader job = new URLClassLoader(new URL[0], before)) {
            Thread.currentThread().setContextClassLoader(job);
            seen = requests.send("file", () -> Thread.currentThread().getContextClassLoader());
        }
        assertThat(seen).isSameAs(Requests.class.getClassLoader());
    }
}
