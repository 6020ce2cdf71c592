package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThrottledFilesTest {
    private static final byte[] CONTENT = new byte[20_000];

    @TempDir
    java.nio.file.Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.write(folder.resolve("file"), CONTENT);
    }

    private long millis(String speed) throws IOException {
        Path path = new Path("throttled://" + speed + folder.resolve("file"));
        FileSystem files = path.getFileSystem();
        assertThat(files.getFileStatus(path).getLen()).isEqualTo(CONTENT.length);
        long began = System.nanoTime();
        try (InputStream in = files.open(path)) {
            assertThat(in.readAllBytes()).isEqualTo(CONTENT);
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    @Test
    void readsObeyTheSharedBandwidth() throws Exception {
        assertThat(millis("bandwidth-1000000.each-0.open-0")).isGreaterThanOrEqualTo(20);
    }

    @Test
    void readsObeyTheBandwidthOfAFile() throws Exception {
        assertThat(millis("bandwidth-0.each-1000000.open-0")).isGreaterThanOrEqualTo(20);
    }

    @Test
    void openingWaitsForTheGivenTime() throws Exception {
        assertThat(millis("bandwidth-0.each-0.open-30")).isGreaterThanOrEqualTo(30);
    }

    @Test
    void addressWithoutSpeedsIsRejected() {
        assertThatThrownBy(() -> new ThrottledFiles(URI.create("throttled://slow/file")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bandwidth-10000000.each-0.open-20.request-20")
                .hasMessageContaining("throttled://slow/file");
    }

    @Test
    void readThatContinuesIsOneRequest() throws Exception {
        assertThat(millis("bandwidth-0.each-0.open-0.request-30")).isGreaterThanOrEqualTo(30);
    }

    @Test
    void readAfterAJumpIsARequestOfItsOwn() throws Exception {
        Path path = new Path("throttled://bandwidth-0.each-0.open-0.request-30" + folder.resolve("file"));
        long began = System.nanoTime();
        try (FSDataInputStream in = path.getFileSystem().open(path)) {
            in.seek(100);
            assertThat(in.readNBytes(50)).hasSize(50);
            in.seek(150);
            assertThat(in.readNBytes(50)).hasSize(50);
            in.seek(10_000);
            assertThat(in.readNBytes(50)).hasSize(50);
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isGreaterThanOrEqualTo(60);
    }

    @Test
    void writesObeyTheSharedBandwidth() throws Exception {
        Path path = new Path("throttled://bandwidth-1000000.each-0.open-0" + folder.resolve("new/written"));
        FileSystem files = path.getFileSystem();
        assertThat(files.mkdirs(path.getParent())).isTrue();
        long began = System.nanoTime();
        try (FSDataOutputStream out = files.create(path, FileSystem.WriteMode.NO_OVERWRITE)) {
            out.write(CONTENT);
        }

        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isGreaterThanOrEqualTo(20);
        assertThat(Files.readAllBytes(folder.resolve("new/written"))).isEqualTo(CONTENT);
        assertThat(files.delete(path, false)).isTrue();
        assertThat(folder.resolve("new/written")).doesNotExist();
    }

    @Test
    void singleBytesObeyTheBandwidthOfAFile() throws Exception {
        Path path = new Path("throttled://bandwidth-0.each-1000.open-0" + folder.resolve("bytes"));
        FileSystem files = path.getFileSystem();
        long began = System.nanoTime();
        try (FSDataOutputStream out = files.create(path, FileSystem.WriteMode.NO_OVERWRITE)) {
            for (int i = 0; i < 20; i++) {
                out.write(i);
            }
        }
        long written = System.nanoTime();
        try (InputStream in = files.open(path)) {
            for (int i = 0; i < 20; i++) {
                assertThat(in.read()).isEqualTo(i);
            }
            assertThat(in.read()).isEqualTo(-1);
        }

        assertThat(TimeUnit.NANOSECONDS.toMillis(written - began)).isGreaterThanOrEqualTo(20);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - written)).isGreaterThanOrEqualTo(20);
    }
}
