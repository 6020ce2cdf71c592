package io.millrace.diagnosis.planted;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** The factory for addresses that begin with {@code throttled://}. Flink finds it as a service. */
public final class ThrottledFilesFactory implements FileSystemFactory {
    @Override
    public String getScheme() {
        return ThrottledFiles.SCHEME;
    }

    @Override
    public FileSystem create(URI address) throws IOException {
        return new ThrottledFiles(address);
    }
}
